/** Memories, what is written of them and what became of it. */

import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";

import { fromStatus, InvalidArgument, type RecalldError } from "../errors.js";
import {
  IndexStateSchema,
  MemoryKindSchema,
  MemoryStateSchema,
  ToolStatusSchema,
  VisibilitySchema,
  type Memory as MemoryMessage,
  type MemoryInputSchema,
  type MemoryRevision as RevisionMessage,
  type ToolCall as ToolCallMessage,
} from "../gen/recalld/v1/memory_pb.js";
import {
  WriteOutcomeSchema,
  type BatchWriteItem,
  type MemoryUpdateSchema,
  type StatsResponse,
  type WriteResult as WriteResultMessage,
} from "../gen/recalld/v1/memory_service_pb.js";
import { toNumber, toWord } from "../words.js";
import type { IndexState, Kind, Outcome, State, ToolStatus, Visibility } from "../words.js";
import { fromTimestamp, timeOf, toMetadata, toTimestamp } from "./common.js";

/** A tool that was called in what a memory or a turn tells of. */
export interface ToolCall {
  tool: string;
  status?: ToolStatus;
  /** A summary of the arguments, without secrets. */
  arguments?: string;
  /** The error text, when the call failed. */
  error?: string;
}

/** What can be said of a memory besides its text. */
export interface MemoryFields {
  kind?: Kind;
  visibility?: Visibility;
  /** The person it is about. */
  userId?: string;
  sessionId?: string;
  /** Who said it, in a conversation. */
  speaker?: string;
  tags?: readonly string[];
  /** Names and identifiers it speaks of; left out: extracted by rules. */
  entities?: readonly string[];
  toolCalls?: readonly ToolCall[];
  /** How much it matters, 0 to 1; left out: scored by rules. */
  importance?: number;
  /** How sure it is, 0 to 1; left out: 1. */
  confidence?: number;
  metadata?: JsonObject;
  /** What would have happened otherwise. */
  counterfactual?: string;
  sourceIds?: readonly string[];
  /** When it happened; left out: now. */
  eventTime?: Date;
  /** When it stops being found. Give this or `ttlSeconds`. */
  expireTime?: Date;
  ttlSeconds?: number;
  /** Since when, and until when, it is true in the world. */
  validFrom?: Date;
  validUntil?: Date;
  /** A UUID of your own choosing; left out: the server makes one. */
  memoryId?: string;
}

/** A memory to be written. */
export interface MemoryInput extends MemoryFields {
  content: string;
}

/** A memory as it is stored. */
export interface Memory {
  readonly memoryId: string;
  readonly namespace: string;
  readonly content: string;
  readonly kind: Kind;
  readonly state: State;
  readonly visibility: Visibility;
  readonly agentId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly speaker: string;
  readonly tags: readonly string[];
  readonly entities: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly importance: number;
  readonly confidence: number;
  readonly metadata: JsonObject;
  readonly counterfactual: string;
  readonly sourceIds: readonly string[];
  readonly supersededBy: string;
  readonly supersedes: readonly string[];
  readonly conflictsWith: readonly string[];
  readonly revision: number;
  readonly etag: string;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly eventTime: Date;
  readonly expireTime?: Date;
  readonly validFrom?: Date;
  readonly validUntil?: Date;
  readonly useCount: number;
  readonly lastUseTime?: Date;
  readonly indexState: IndexState;
  readonly indexError: string;
}

/** What became of one written memory. */
export interface WriteResult {
  readonly outcome: Outcome;
  /** The memory that now holds what was said; "" when nothing was stored. */
  readonly memoryId: string;
  readonly related: readonly { readonly memoryId: string; readonly similarity: number }[];
  readonly reason: string;
  readonly importance: number;
  readonly importanceThreshold: number;
  readonly reviewId: string;
  readonly indexState: IndexState;
  readonly revision: number;
  readonly etag: string;
}

/** What became of one item of a batch or a stream: a result or an error. */
export interface BatchItem {
  readonly sequence: number;
  readonly result?: WriteResult;
  readonly error?: RecalldError;
}

/** One change of a memory: the memory after it, and who did what, when and why. */
export interface Revision {
  readonly memory: Memory;
  readonly action: string;
  readonly actor: string;
  readonly reason: string;
  readonly createTime: Date;
}

export function toMemoryInput(input: MemoryInput | string, field = "memory"): MessageInitShape<typeof MemoryInputSchema> {
  const given: MemoryInput = typeof input === "string" ? { content: input } : input;
  return {
    ...toFields(given, field),
    content: given.content,
    visibility: toNumber(VisibilitySchema, given.visibility, `${field}.visibility`),
    sourceIds: [...(given.sourceIds ?? [])],
    ttlSeconds: toSeconds(given.ttlSeconds, `${field}.ttlSeconds`),
    memoryId: given.memoryId,
  };
}

/** The changes of an update, and the mask that names them. A field that is null is cleared. */
export function toUpdate(changes: Changes): { memory: MessageInitShape<typeof MemoryUpdateSchema>; mask: string[] } {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(given.filter(([, value]) => value !== null)) as Partial<MemoryInput>;
  const mask = given.map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return { memory: { ...toFields(set, "memory"), content: set.content }, mask };
}

type Changeable = Omit<MemoryInput, "visibility" | "sourceIds" | "ttlSeconds" | "memoryId">;
/** What an update may change. A field that is left out stays; null clears it. */
export type Changes = { [Name in keyof Changeable]?: Changeable[Name] | null };

function toFields(given: Partial<MemoryInput>, field: string) {
  return {
    kind: toNumber(MemoryKindSchema, given.kind, `${field}.kind`),
    userId: given.userId,
    sessionId: given.sessionId,
    speaker: given.speaker,
    tags: [...(given.tags ?? [])],
    entities: [...(given.entities ?? [])],
    toolCalls: toToolCalls(given.toolCalls, `${field}.toolCalls`),
    importance: given.importance,
    confidence: given.confidence,
    metadata: toMetadata(given.metadata, `${field}.metadata`),
    counterfactual: given.counterfactual,
    eventTime: toTimestamp(given.eventTime, `${field}.eventTime`),
    expireTime: toTimestamp(given.expireTime, `${field}.expireTime`),
    validFrom: toTimestamp(given.validFrom, `${field}.validFrom`),
    validUntil: toTimestamp(given.validUntil, `${field}.validUntil`),
  };
}

function toSeconds(seconds: number | undefined, field: string): bigint | undefined {
  if (seconds === undefined) return undefined;
  if (!Number.isFinite(seconds) || seconds < 0) throw InvalidArgument.of(field, "takes seconds from 0 on");
  return BigInt(Math.ceil(seconds));
}

export function toToolCalls(calls: readonly ToolCall[] | undefined, field: string) {
  return (calls ?? []).map((call, index) => ({
    ...call,
    status: toNumber(ToolStatusSchema, call.status, `${field}[${index}].status`),
  }));
}

export function fromToolCall(call: ToolCallMessage): ToolCall {
  const status = call.status ? { status: toWord<ToolStatus>(ToolStatusSchema, call.status) } : {};
  return { tool: call.tool, ...status, arguments: call.arguments, error: call.error };
}

export function fromMemory(message: MemoryMessage): Memory {
  const { $typeName: _, $unknown: __, ...rest } = message;
  return {
    ...rest,
    kind: toWord(MemoryKindSchema, message.kind),
    state: toWord(MemoryStateSchema, message.state),
    visibility: toWord(VisibilitySchema, message.visibility),
    toolCalls: message.toolCalls.map(fromToolCall),
    metadata: message.metadata ?? {},
    revision: Number(message.revision),
    createTime: timeOf(message.createTime),
    updateTime: timeOf(message.updateTime),
    eventTime: timeOf(message.eventTime),
    expireTime: fromTimestamp(message.expireTime),
    validFrom: fromTimestamp(message.validFrom),
    validUntil: fromTimestamp(message.validUntil),
    useCount: Number(message.useCount),
    lastUseTime: fromTimestamp(message.lastUseTime),
    indexState: toWord(IndexStateSchema, message.indexState),
  };
}

export function fromWriteResult(message: WriteResultMessage): WriteResult {
  const { $typeName: _, $unknown: __, ...rest } = message;
  return {
    ...rest,
    outcome: toWord(WriteOutcomeSchema, message.outcome),
    indexState: toWord(IndexStateSchema, message.indexState),
    revision: Number(message.revision),
  };
}

export function fromBatchItem(item: BatchWriteItem | undefined, sequence: number): BatchItem {
  if (item?.outcome.case === "error") return { sequence, error: fromStatus(item.outcome.value) };
  if (item?.outcome.case === "result") return { sequence, result: fromWriteResult(item.outcome.value) };
  return { sequence };
}

export function fromRevision(message: RevisionMessage): Revision {
  const { action, actor, reason } = message;
  return { memory: fromMemory(message.memory!), action, actor, reason, createTime: timeOf(message.createTime) };
}

/** Figures of a namespace or of all. */
export type Stats = ReturnType<typeof fromStats>;

export function fromStats(message: StatsResponse) {
  const { $typeName: _, $unknown: __, ...rest } = message;
  const numbers = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
  ) as { [Name in keyof typeof rest]: (typeof rest)[Name] extends bigint ? number : (typeof rest)[Name] };
  return {
    ...numbers,
    counts: message.counts.map(({ kind, state, count }) => ({
      kind: toWord<Kind>(MemoryKindSchema, kind),
      state: toWord<State>(MemoryStateSchema, state),
      count: Number(count),
    })),
    days: message.days.map(({ day, created, searches }) => ({
      day: timeOf(day),
      created: Number(created),
      searches: Number(searches),
    })),
  };
}
