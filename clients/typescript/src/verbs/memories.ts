/** Writing, reading and changing memories. */

import { randomUUID } from "node:crypto";

import { DurabilitySchema, type StreamWriteRequestSchema } from "../gen/recalld/v1/memory_service_pb.js";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallSettings } from "../connection.js";
import { toTimeRange, toTimestamp, type TimeRange } from "../values/common.js";
import { toFilter, type Filter } from "../values/filters.js";
import {
  fromBatchItem,
  fromMemory,
  fromRevision,
  fromStats,
  fromWriteResult,
  toMemoryInput,
  toUpdate,
  type BatchItem,
  type Changes,
  type Memory,
  type MemoryFields,
  type MemoryInput,
  type Revision,
  type Stats,
  type WriteResult,
} from "../values/memories.js";
import { toNumber, type Durability } from "../words.js";
import { Bound, pages, type MutationSettings } from "./bound.js";

export interface WriteSettings extends MutationSettings {
  /** "indexed", the default: the very next search finds it. */
  durability?: Durability;
  /** Only say what the outcome would be; store nothing. */
  validateOnly?: boolean;
}

/** What a change takes to be sure that nobody else changed the memory. */
export interface GuardedSettings extends MutationSettings {
  etag?: string;
  expectedRevision?: number;
  /** Why, for the record. */
  reason?: string;
}

/** The guards as the contract takes them. */
export function guards({ etag, expectedRevision, reason }: GuardedSettings) {
  return { etag, reason, expectedRevision: expectedRevision === undefined ? undefined : BigInt(expectedRevision) };
}

export class Memories extends Bound {
  /** Stores one memory and says what became of it. */
  async write(content: string, given: MemoryFields & WriteSettings = {}): Promise<WriteResult> {
    const request = { ...this.target(given), memory: toMemoryInput({ ...given, content }), ...how(given) };
    const answer = await this.connection.mutate((options) => this.connection.memory.write(request, options), given);
    return fromWriteResult(answer.result!);
  }

  /** Stores 1 to 500 memories. Each has a result or an error of its own, in the order given. */
  async writeBatch(memories: readonly (MemoryInput | string)[], given: WriteSettings = {}): Promise<BatchItem[]> {
    const inputs = memories.map((each, index) => toMemoryInput(each, `memories[${index}]`));
    const request = { ...this.target(given), memories: inputs, ...how(given) };
    const answer = await this.connection.mutate((options) => this.connection.memory.batchWrite(request, options), given);
    return answer.items.map(fromBatchItem);
  }

  /**
   * Stores memories as they come and yields what became of each. When the stream breaks, send the same memories again
   * under the same `streamId`: what was stored already gets its first answer.
   */
  async *writeStream(
    memories: Iterable<MemoryInput | string> | AsyncIterable<MemoryInput | string>,
    given: CallSettings & { durability?: Durability; streamId?: string } = {},
  ): AsyncGenerator<BatchItem> {
    const stream = given.streamId ?? randomUUID();
    const { durability } = how(given);
    const namespace = this.name;
    async function* requests(): AsyncGenerator<MessageInitShape<typeof StreamWriteRequestSchema>> {
      let sequence = 0;
      for await (const each of memories) {
        const memory = toMemoryInput(each, `memories[${sequence}]`);
        yield { namespace, memory, durability, requestId: `${stream}-${sequence}`, sequence: BigInt(sequence) };
        sequence += 1;
      }
    }
    const answers = this.connection.stream((options) => this.connection.memory.streamWrite(requests(), options), given);
    for await (const answer of answers) yield fromBatchItem(answer.item, Number(answer.sequence));
  }

  /** Reads one memory, as it is or as it was at `asOf`. Throws NotFound. */
  async get(memoryId: string, given: CallSettings & { asOf?: Date } = {}): Promise<Memory> {
    const request = { namespace: this.name, memoryId, asOf: toTimestamp(given.asOf, "asOf") };
    const answer = await this.connection.read((options) => this.connection.memory.get(request, options), given);
    return fromMemory(answer.memory!);
  }

  /** Lists memories, newest first: `for await (const memory of client.list({ kinds: "episodic" }))`. */
  list(filter: Filter = {}, given: CallSettings & { pageSize?: number; asOf?: Date } = {}): AsyncGenerator<Memory> {
    const { pageSize, asOf } = given;
    const request = { namespace: this.name, filter: toFilter(filter), pageSize, asOf: toTimestamp(asOf, "asOf") };
    return pages(
      (pageToken) => this.connection.read((options) => this.connection.memory.list({ ...request, pageToken }, options), given),
      (page) => page.memories.map(fromMemory),
    );
  }

  /** Changes the fields that are given, and nothing else; null clears one. Throws Conflict when a guard fails. */
  async update(memoryId: string, changes: Changes, given: GuardedSettings = {}): Promise<Memory> {
    const { memory, mask } = toUpdate(changes);
    const request = { ...this.target(given), ...guards(given), memoryId, memory, updateMask: { paths: mask } };
    const answer = await this.connection.mutate((options) => this.connection.memory.update(request, options), given);
    return fromMemory(answer.memory!);
  }

  /** Every change of a memory, newest first. */
  revisions(memoryId: string, given: CallSettings & { pageSize?: number } = {}): AsyncGenerator<Revision> {
    const request = { namespace: this.name, memoryId, pageSize: given.pageSize };
    return pages(
      (pageToken) =>
        this.connection.read((options) => this.connection.memory.listRevisions({ ...request, pageToken }, options), given),
      (page) => page.revisions.map(fromRevision),
    );
  }

  /** Brings a memory back to a revision (left out: the latest in which it was active). */
  async restore(memoryId: string, given: GuardedSettings & { revision?: number } = {}): Promise<Memory> {
    const revision = given.revision === undefined ? undefined : BigInt(given.revision);
    const request = { ...this.target(given), ...guards(given), memoryId, revision };
    const answer = await this.connection.mutate((options) => this.connection.memory.restore(request, options), given);
    return fromMemory(answer.memory!);
  }

  /** Figures of this namespace, or with `allNamespaces` of every one that the key may read. */
  async stats(given: CallSettings & { range?: TimeRange; allNamespaces?: boolean } = {}): Promise<Stats> {
    const request = { namespace: given.allNamespaces ? "" : this.name, range: toTimeRange(given.range, "range") };
    return fromStats(await this.connection.read((options) => this.connection.memory.stats(request, options), given));
  }
}

function how(given: { durability?: Durability; validateOnly?: boolean }) {
  return { durability: toNumber(DurabilitySchema, given.durability, "durability"), validateOnly: given.validateOnly };
}
