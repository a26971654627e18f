/** Sessions, reflections, reviews and watch events. */

import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";

import {
  ReflectionStateSchema,
  ReflectionTargetSchema,
  type Reflection as ReflectionMessage,
  type ReflectionScopeSchema,
} from "../gen/recalld/v1/memory_service_pb.js";
import {
  ReviewCauseSchema,
  ReviewDecisionSchema,
  ReviewStateSchema,
  type Review as ReviewMessage,
} from "../gen/recalld/v1/review_service_pb.js";
import {
  SessionStateSchema,
  TurnRoleSchema,
  type Session as SessionMessage,
  type Turn as TurnMessage,
  type TurnSchema,
} from "../gen/recalld/v1/session_service_pb.js";
import { WatchEventTypeSchema, type WatchResponse } from "../gen/recalld/v1/watch_service_pb.js";
import { toNumber, toWord } from "../words.js";
import type {
  EventType,
  ReflectionState,
  ReflectionTarget,
  ReviewCause,
  ReviewDecision,
  ReviewState,
  SessionState,
  TurnRole,
} from "../words.js";
import { fromTimestamp, timeOf, toTimeRange, toTimestamp, type TimeRange } from "./common.js";
import { toFilter, type Filter } from "./filters.js";
import { fromMemory, fromToolCall, toToolCalls, type Memory, type ToolCall } from "./memories.js";

/** One turn to be added to a session. */
export interface TurnInput {
  content: string;
  /** Default "user". */
  role?: TurnRole;
  speaker?: string;
  toolCalls?: readonly ToolCall[];
  eventTime?: Date;
}

/** One turn of a session. */
export interface Turn {
  readonly turnId: string;
  readonly sequence: number;
  readonly role: TurnRole;
  readonly content: string;
  readonly speaker: string;
  readonly toolCalls: readonly ToolCall[];
  readonly eventTime: Date;
  readonly agentId: string;
}

export interface SessionInfo {
  readonly sessionId: string;
  readonly namespace: string;
  readonly state: SessionState;
  readonly userId: string;
  readonly turnCount: number;
  readonly variables: JsonObject;
  readonly etag: string;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly expireTime?: Date;
}

export function toTurn(input: TurnInput | string, field: string): MessageInitShape<typeof TurnSchema> {
  const given: TurnInput = typeof input === "string" ? { content: input } : input;
  return {
    content: given.content,
    role: toNumber(TurnRoleSchema, given.role ?? "user", `${field}.role`),
    speaker: given.speaker,
    toolCalls: toToolCalls(given.toolCalls, `${field}.toolCalls`),
    eventTime: toTimestamp(given.eventTime, `${field}.eventTime`),
  };
}

export function fromTurn(message: TurnMessage): Turn {
  const { turnId, content, speaker, agentId } = message;
  return {
    turnId,
    content,
    speaker,
    agentId,
    sequence: Number(message.sequence),
    role: toWord(TurnRoleSchema, message.role),
    toolCalls: message.toolCalls.map(fromToolCall),
    eventTime: timeOf(message.eventTime),
  };
}

export function fromSession(message: SessionMessage): SessionInfo {
  const { sessionId, namespace, userId, etag } = message;
  return {
    sessionId,
    namespace,
    userId,
    etag,
    state: toWord(SessionStateSchema, message.state),
    turnCount: Number(message.turnCount),
    variables: message.variables ?? {},
    createTime: timeOf(message.createTime),
    updateTime: timeOf(message.updateTime),
    expireTime: fromTimestamp(message.expireTime),
  };
}

/** What a reflection looks back on: one of these. */
export type ReflectionScope =
  | { sessionId: string }
  | { timeRange: TimeRange }
  | { filter: Filter }
  | { sinceLast: true };

/** One thing that a reflection made or would make. */
export interface Insight {
  readonly memoryId: string;
  readonly category: string;
  readonly content: string;
  readonly confidence: number;
  readonly sourceIds: readonly string[];
  readonly support: number;
  readonly counterfactual: string;
  readonly outcome: string;
  readonly reviewId: string;
}

export interface Reflection {
  readonly reflectionId: string;
  readonly namespace: string;
  readonly state: ReflectionState;
  readonly targets: readonly ReflectionTarget[];
  readonly dryRun: boolean;
  /** Done, 0 to 1. */
  readonly progress: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly insights: readonly Insight[];
  /** Why things were skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly error: string;
  readonly actor: string;
  readonly createTime: Date;
  readonly startTime?: Date;
  readonly endTime?: Date;
}

export function toScope(scope: ReflectionScope): MessageInitShape<typeof ReflectionScopeSchema> {
  if ("sessionId" in scope) return { scope: { case: "sessionId", value: scope.sessionId } };
  if ("timeRange" in scope) return { scope: { case: "timeRange", value: toTimeRange(scope.timeRange, "timeRange")! } };
  if ("filter" in scope) return { scope: { case: "filter", value: toFilter(scope.filter) ?? {} } };
  return { scope: { case: "sinceLast", value: true } };
}

export function fromReflection(message: ReflectionMessage): Reflection {
  const { reflectionId, namespace, dryRun, progress, error, actor } = message;
  return {
    reflectionId,
    namespace,
    dryRun,
    progress,
    error,
    actor,
    state: toWord(ReflectionStateSchema, message.state),
    targets: message.targets.map((target) => toWord<ReflectionTarget>(ReflectionTargetSchema, target)),
    counts: numbers(message.counts),
    insights: message.insights.map(({ $typeName: _, $unknown: __, ...insight }) => insight),
    skipped: numbers(message.skipped),
    createTime: timeOf(message.createTime),
    startTime: fromTimestamp(message.startTime),
    endTime: fromTimestamp(message.endTime),
  };
}

/** Counts as plain numbers. */
export function numbers(counts: Readonly<Record<string, bigint>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));
}

/** Something that waits for a person's decision. */
export interface Review {
  readonly reviewId: string;
  readonly namespace: string;
  readonly cause: ReviewCause;
  readonly state: ReviewState;
  readonly memories: readonly Memory[];
  /** Undefined while it is open. */
  readonly decision?: ReviewDecision;
  readonly actor: string;
  readonly createTime: Date;
  readonly resolveTime?: Date;
  readonly expireTime?: Date;
}

export function fromReview(message: ReviewMessage): Review {
  const { reviewId, namespace, actor } = message;
  return {
    reviewId,
    namespace,
    actor,
    cause: toWord(ReviewCauseSchema, message.cause),
    state: toWord(ReviewStateSchema, message.state),
    memories: message.memories.map(fromMemory),
    ...(message.decision ? { decision: toWord<ReviewDecision>(ReviewDecisionSchema, message.decision) } : {}),
    createTime: timeOf(message.createTime),
    resolveTime: fromTimestamp(message.resolveTime),
    expireTime: fromTimestamp(message.expireTime),
  };
}

/** One thing that happened in a namespace. */
export interface WatchEvent {
  readonly type: EventType;
  readonly namespace: string;
  readonly memoryId: string;
  /** The memory as it is now; undefined when it is gone. */
  readonly memory?: Memory;
  readonly actor: string;
  readonly createTime?: Date;
  /** Give it to `watch` to go on behind this event, in another process too. */
  readonly resumeToken: string;
}

export function fromEvent(message: WatchResponse): WatchEvent {
  const { namespace, memoryId, actor, resumeToken } = message;
  return {
    namespace,
    memoryId,
    actor,
    resumeToken,
    type: toWord(WatchEventTypeSchema, message.type),
    memory: message.memory && fromMemory(message.memory),
    createTime: fromTimestamp(message.createTime),
  };
}
