/** Sessions, looking back, reviews, following and moving. */

import { setTimeout as sleep } from "node:timers/promises";
import { randomUUID } from "node:crypto";

import type { JsonObject } from "@bufbuild/protobuf";

import type { CallSettings } from "../connection.js";
import { Cancelled } from "../errors.js";
import type { ExportRecord } from "../gen/recalld/v1/namespace_service_pb.js";
import { ReflectionTargetSchema } from "../gen/recalld/v1/memory_service_pb.js";
import { ReviewDecisionSchema, ReviewStateSchema } from "../gen/recalld/v1/review_service_pb.js";
import { SessionStateSchema } from "../gen/recalld/v1/session_service_pb.js";
import { WatchEventTypeSchema } from "../gen/recalld/v1/watch_service_pb.js";
import { toMetadata } from "../values/common.js";
import { toFilter, type Filter } from "../values/filters.js";
import {
  fromEvent,
  fromReflection,
  fromReview,
  fromSession,
  fromTurn,
  toScope,
  toTurn,
  type Reflection,
  type ReflectionScope,
  type Review,
  type SessionInfo,
  type Turn,
  type TurnInput,
  type WatchEvent,
} from "../values/others.js";
import { many, toNumber, toNumbers } from "../words.js";
import type { EventType, ReflectionTarget, ReviewDecision, ReviewState, SessionState } from "../words.js";
import { Bound, pages, type MutationSettings } from "./bound.js";
import { Finding } from "./finding.js";

/** A running session: its turns and its variables, shared by every agent that names it. */
export class Session extends Bound {
  constructor(
    parent: Living,
    readonly sessionId: string,
    private readonly userId: string | undefined,
  ) {
    super(parent["connection"], parent.name);
  }

  /** Adds turns; a text alone is the user's. Returns the session after it. */
  async add(turns: TurnInput | string | readonly (TurnInput | string)[], given: MutationSettings = {}): Promise<SessionInfo> {
    const { sessionId, userId } = this;
    const list = many(turns).map((each, index) => toTurn(each, `turns[${index}]`));
    const request = { ...this.target(given), sessionId, userId, turns: list };
    const answer = await this.connection.mutate((options) => this.connection.session.appendTurns(request, options), given);
    return fromSession(answer.session!);
  }

  /** The session and its latest turns, oldest first. */
  async get(given: CallSettings & { maxTurns?: number; maxTokens?: number } = {}): Promise<{ session: SessionInfo; turns: Turn[] }> {
    const { maxTurns, maxTokens } = given;
    const request = { namespace: this.name, sessionId: this.sessionId, maxTurns, maxTokens };
    const answer = await this.connection.read((options) => this.connection.session.getSession(request, options), given);
    return { session: fromSession(answer.session!), turns: answer.turns.map(fromTurn) };
  }

  /** Sets variables; null removes one. With an etag only if nobody else set any. */
  async set(variables: JsonObject, given: MutationSettings & { etag?: string } = {}): Promise<SessionInfo> {
    const { sessionId } = this;
    const request = { ...this.target(given), sessionId, etag: given.etag, variables: toMetadata(variables, "variables") };
    const answer = await this.connection.mutate((options) => this.connection.session.setVariables(request, options), given);
    return fromSession(answer.session!);
  }

  /** Ends the session and starts the look back on it. */
  async end(given: MutationSettings & { skipReflection?: boolean } = {}): Promise<{ session: SessionInfo; reflectionId: string }> {
    const { sessionId } = this;
    const request = { ...this.target(given), sessionId, skipReflection: given.skipReflection };
    const answer = await this.connection.mutate((options) => this.connection.session.endSession(request, options), given);
    return { session: fromSession(answer.session!), reflectionId: answer.reflectionId };
  }
}

export class Living extends Finding {
  /** A session by your name for it; it opens with its first turn. */
  session(sessionId: string, given: { userId?: string } = {}): Session {
    return new Session(this, sessionId, given.userId);
  }

  /** Lists sessions, latest first. */
  sessions(given: CallSettings & { userId?: string; state?: SessionState; pageSize?: number } = {}): AsyncGenerator<SessionInfo> {
    const { userId, pageSize } = given;
    const state = toNumber(SessionStateSchema, given.state, "state");
    const request = { namespace: this.name, userId, pageSize, state };
    return pages(
      (pageToken) =>
        this.connection.read((options) => this.connection.session.listSessions({ ...request, pageToken }, options), given),
      (page) => page.sessions.map(fromSession),
    );
  }

  /** Starts a look back and returns at once; `reflection` follows it. */
  async reflect(
    scope: ReflectionScope,
    given: MutationSettings & { targets?: ReflectionTarget | readonly ReflectionTarget[]; dryRun?: boolean } = {},
  ): Promise<Reflection> {
    const targets = toNumbers(ReflectionTargetSchema, given.targets, "targets");
    const request = { ...this.target(given), scope: toScope(scope), targets, dryRun: given.dryRun };
    const answer = await this.connection.mutate((options) => this.connection.memory.reflect(request, options), given);
    return fromReflection(answer.reflection!);
  }

  /** A reflection as it is now. */
  async getReflection(reflectionId: string, given: CallSettings = {}): Promise<Reflection> {
    const request = { namespace: this.name, reflectionId };
    const answer = await this.connection.read((options) => this.connection.memory.getReflection(request, options), given);
    return fromReflection(answer.reflection!);
  }

  /** A reflection as it goes; the last one has ended. */
  async *watchReflection(reflectionId: string, given: CallSettings = {}): AsyncGenerator<Reflection> {
    const request = { namespace: this.name, reflectionId };
    const answers = this.connection.stream((options) => this.connection.memory.watchReflection(request, options), given);
    for await (const answer of answers) yield fromReflection(answer.reflection!);
  }

  /** Asks a reflection to stop. What it has stored stays. */
  async cancelReflection(reflectionId: string, given: MutationSettings = {}): Promise<Reflection> {
    const request = { ...this.target(given), reflectionId };
    const answer = await this.connection.mutate((options) => this.connection.memory.cancelReflection(request, options), given);
    return fromReflection(answer.reflection!);
  }

  /** What waits for a decision, or was decided. */
  reviews(given: CallSettings & { state?: ReviewState; pageSize?: number } = {}): AsyncGenerator<Review> {
    const state = toNumber(ReviewStateSchema, given.state, "state");
    const request = { namespace: this.name, state, pageSize: given.pageSize };
    return pages(
      (pageToken) =>
        this.connection.read((options) => this.connection.review.listReviews({ ...request, pageToken }, options), given),
      (page) => page.reviews.map(fromReview),
    );
  }

  /** Decides a review: "edit" takes `content`, "choose" takes `chosenId`. */
  async resolveReview(
    reviewId: string,
    decision: ReviewDecision,
    given: MutationSettings & { content?: string; chosenId?: string; reason?: string } = {},
  ): Promise<Review> {
    const { content, chosenId, reason } = given;
    const number = toNumber(ReviewDecisionSchema, decision, "decision");
    const request = { ...this.target(given), reviewId, decision: number, content, chosenId, reason };
    const answer = await this.connection.mutate((options) => this.connection.review.resolveReview(request, options), given);
    return fromReview(answer.review!);
  }

  /**
   * What happens, as it happens. Goes on by itself after a break, without a gap and without a double, until `signal`
   * is aborted or the loop is left. Checkpoints are not shown; their tokens go into the next resumption.
   */
  async *watch(
    given: Filter & { namespaces?: readonly string[]; types?: EventType | readonly EventType[]; resumeToken?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<WatchEvent> {
    const { namespaces, types, signal, resumeToken, ...filter } = given;
    const request = {
      namespaces: [...(namespaces ?? [this.name])],
      filter: toFilter(filter),
      types: toNumbers(WatchEventTypeSchema, types, "types"),
    };
    let token = resumeToken ?? "";
    for (let failures = 0; ; ) {
      try {
        const answers = this.connection.stream(
          (options) => this.connection.watch.watch({ ...request, resumeToken: token }, options),
          { signal },
        );
        for await (const answer of answers) {
          failures = 0;
          token = answer.resumeToken;
          const event = fromEvent(answer);
          if (event.type !== "checkpoint") yield event;
        }
      } catch (error) {
        if (signal?.aborted && error instanceof Cancelled) return;
        failures += 1;
        const wait = this.connection.wait(error, failures);
        if (wait === undefined) throw error;
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
      if (signal?.aborted) return;
    }
  }

  /** Every memory that a filter means, as records that `import` takes. */
  async *export(
    filter: Filter = {},
    given: CallSettings & { includeVectors?: boolean; includeRevisions?: boolean } = {},
  ): AsyncGenerator<ExportRecord> {
    const { includeVectors, includeRevisions } = given;
    const request = { namespace: this.name, filter: toFilter(filter), includeVectors, includeRevisions };
    const answers = this.connection.stream((options) => this.connection.namespace.export(request, options), given);
    for await (const answer of answers) yield answer.record!;
  }

  /** Brings records in, each with an answer. After a break send the same records again under the same `importId`. */
  async *import(
    records: Iterable<ExportRecord> | AsyncIterable<ExportRecord>,
    given: CallSettings & { importId?: string } = {},
  ): AsyncGenerator<{ sequence: number; memoryId: string; outcome: string; error: string }> {
    const id = given.importId ?? randomUUID();
    const namespace = this.name;
    async function* requests() {
      let sequence = 0;
      for await (const record of records) {
        yield { namespace, record, requestId: `${id}-${sequence}`, sequence: BigInt(sequence) };
        sequence += 1;
      }
    }
    const answers = this.connection.stream((options) => this.connection.namespace.import(requests(), options), given);
    for await (const { sequence, memoryId, outcome, error } of answers) {
      yield { sequence: Number(sequence), memoryId, outcome, error };
    }
  }
}
