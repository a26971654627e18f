/** Finding memories, and forgetting them. */

import type { CallSettings } from "../connection.js";
import { ForgetModeSchema, type ForgetResponse } from "../gen/recalld/v1/memory_service_pb.js";
import { timeOf } from "../values/common.js";
import { toFilter, type Filter } from "../values/filters.js";
import { numbers } from "../values/others.js";
import {
  fromContext,
  fromSearch,
  toSearch,
  type Context,
  type SearchOptions,
  type SearchResult,
} from "../values/searches.js";
import { toNumber, type ForgetMode } from "../words.js";
import type { MutationSettings } from "./bound.js";
import { guards, Memories, type GuardedSettings } from "./memories.js";

export interface ContextOptions extends Filter {
  /** Tokens that the text may have at most; default 1,000. */
  maxTokens?: number;
  /** The running session, whose latest turns are added. */
  sessionId?: string;
  /** The language of the headings; left out: that of the query. */
  language?: "en" | "zh";
  timeZone?: string;
  namespaces?: readonly string[];
  includeCounterfactuals?: boolean;
}

/** What was forgotten, or would be. */
export interface Forgotten {
  readonly count: number;
  readonly memoryIds: readonly string[];
  readonly skippedIds: readonly string[];
  /** What an erasure removed, by kind of row, without text. */
  readonly receipt?: { receiptId: string; createTime: Date; counts: Record<string, number> };
}

/** What a filter would forget. Nothing has changed yet. */
export interface ForgetPlan extends Forgotten {
  /** Carries it out. Throws FailedPrecondition when other memories fit the filter by now. */
  confirm(given?: MutationSettings): Promise<Forgotten>;
}

export class Finding extends Memories {
  /** Finds memories by meaning, by words and by time. Filters are options: `{ userIds: "alice", topK: 3 }`. */
  async search(query: string, given: SearchOptions & CallSettings = {}): Promise<SearchResult> {
    const { timeoutMs, signal, ...options } = given;
    const request = toSearch(this.name, query, options);
    const call = { timeoutMs, signal };
    return fromSearch(await this.connection.read((with_) => this.connection.memory.search(request, with_), call));
  }

  /** Builds the text that an agent pastes into its prompt, within a token budget. */
  async context(query: string, given: ContextOptions & CallSettings = {}): Promise<Context> {
    const { timeoutMs, signal, maxTokens, sessionId, language, timeZone, namespaces, includeCounterfactuals, ...filter } = given;
    const request = {
      ...{ query, maxTokens, sessionId, language, timeZone, includeCounterfactuals },
      namespaces: [...(namespaces ?? [this.name])],
      filter: toFilter(filter),
    };
    const call = { timeoutMs, signal };
    return fromContext(await this.connection.read((options) => this.connection.memory.buildContext(request, options), call));
  }

  /** Says which hits of a search were of use. Returns how many were marked. */
  async markUsed(searchId: string, memoryIds: readonly string[], given: MutationSettings = {}): Promise<number> {
    const { requestId } = this.target(given);
    const request = { searchId, memoryIds: [...memoryIds], requestId };
    const answer = await this.connection.mutate((options) => this.connection.memory.markUsed(request, options), given);
    return answer.marked;
  }

  /** Archives, hides ("forget", the default) or erases memories by their ids. */
  async forget(memoryIds: string | readonly string[], given: GuardedSettings & { mode?: ForgetMode } = {}): Promise<Forgotten> {
    const ids = typeof memoryIds === "string" ? [memoryIds] : [...memoryIds];
    const mode = toNumber(ForgetModeSchema, given.mode, "mode");
    const request = { ...this.target(given), ...guards(given), memoryIds: ids, mode };
    return fromForget(await this.connection.mutate((options) => this.connection.memory.forget(request, options), given));
  }

  /** Says what a filter would forget; its `confirm()` does it. */
  async planForget(filter: Filter, given: CallSettings & { mode?: ForgetMode; reason?: string } = {}): Promise<ForgetPlan> {
    const mode = toNumber(ForgetModeSchema, given.mode, "mode");
    const request = { namespace: this.name, filter: toFilter(filter) ?? {}, mode, reason: given.reason };
    const dry = await this.connection.read(
      (options) => this.connection.memory.forget({ ...request, dryRun: true }, options),
      given,
    );
    const confirm = async (settings: MutationSettings = {}) => {
      const real = { ...request, ...this.target(settings), digest: dry.digest };
      return fromForget(await this.connection.mutate((options) => this.connection.memory.forget(real, options), settings));
    };
    return { ...fromForget(dry), confirm };
  }
}

function fromForget(message: ForgetResponse): Forgotten {
  const { memoryIds, skippedIds, receipt } = message;
  return {
    count: Number(message.count),
    memoryIds,
    skippedIds,
    ...(receipt && {
      receipt: {
        receiptId: receipt.receiptId,
        createTime: timeOf(receipt.createTime),
        counts: numbers(receipt.counts),
      },
    }),
  };
}
