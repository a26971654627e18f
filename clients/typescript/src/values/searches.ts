/** What a search found, and the text for a prompt. */

import {
  TimeModeSchema,
  type BuildContextResponse,
  type RankingOptionsSchema,
  type SearchExplanation,
  type SearchResponse,
} from "../gen/recalld/v1/memory_service_pb.js";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { toNumber, type TimeMode } from "../words.js";
import { fromTimeRange, toTimestamp, type TimeRange } from "./common.js";
import { toFilter, type Filter } from "./filters.js";
import { fromMemory, type Memory } from "./memories.js";

export interface SearchOptions extends Filter {
  /** Hits at most, 1 to 100; default 5. */
  topK?: number;
  minScore?: number;
  /** The namespaces to look in, instead of the one that the view is bound to. */
  namespaces?: readonly string[];
  /** IANA zone in which words like "yesterday" are read; default UTC. */
  timeZone?: string;
  timeMode?: TimeMode;
  /** The instant from which "yesterday" counts; default now. */
  referenceTime?: Date;
  /** Search memories as they were then. */
  asOf?: Date;
  /** Stop adding hits when their texts reach this many tokens. */
  maxTokens?: number;
  /** Weights of the arms. */
  ranking?: MessageInitShape<typeof RankingOptionsSchema>;
  explain?: boolean;
}

/** A memory that was found, with its score (0 to 1) and what each arm added. */
export interface Hit {
  readonly memory: Memory;
  readonly content: string;
  readonly score: number;
  readonly arms: readonly { arm: string; raw: number; rank: number; contribution: number }[];
  /** Near-duplicates that were folded into this hit. */
  readonly foldedIds: readonly string[];
}

/** The hits, best first; iterable. */
export class SearchResult implements Iterable<Hit> {
  constructor(
    readonly hits: readonly Hit[],
    /** Names this search, for `markUsed`. */
    readonly searchId: string,
    /** The time that the words were understood to speak of. */
    readonly understoodTime: { phrase: string; range?: TimeRange } | undefined,
    /** Stages that a deadline or a model that is down made it skip. */
    readonly degradedStages: readonly string[],
    readonly omittedByTokens: number,
    readonly explanation: SearchExplanation | undefined,
  ) {}

  [Symbol.iterator](): Iterator<Hit> {
    return this.hits[Symbol.iterator]();
  }
}

/** What an agent pastes into its prompt. */
export interface Context {
  readonly text: string;
  readonly sections: readonly { heading: string; text: string; memoryIds: readonly string[] }[];
  readonly tokenCount: number;
  readonly searchId: string;
  readonly degradedStages: readonly string[];
}

export function toSearch(namespace: string, query: string, given: SearchOptions) {
  const { topK, minScore, namespaces, timeZone, timeMode, referenceTime, asOf, maxTokens, ranking, explain, ...filter } = given;
  return {
    namespaces: [...(namespaces ?? [namespace])],
    query,
    filter: toFilter(filter),
    topK,
    minScore,
    ranking,
    timeZone,
    timeMode: toNumber(TimeModeSchema, timeMode, "timeMode"),
    referenceTime: toTimestamp(referenceTime, "referenceTime"),
    asOf: toTimestamp(asOf, "asOf"),
    maxTokens,
    explain,
  };
}

export function fromSearch(message: SearchResponse): SearchResult {
  const hits = message.hits.map(({ memory, score, arms, foldedIds }) => {
    const found = fromMemory(memory!);
    const parts = arms.map(({ arm, raw, rank, contribution }) => ({ arm, raw, rank, contribution }));
    return { memory: found, content: found.content, score, arms: parts, foldedIds };
  });
  const time = message.understoodTime;
  return new SearchResult(
    hits,
    message.searchId,
    time && { phrase: time.phrase, range: fromTimeRange(time.range) },
    message.degradedStages,
    message.omittedByTokens,
    message.explanation,
  );
}

export function fromContext(message: BuildContextResponse): Context {
  const { text, tokenCount, searchId, degradedStages } = message;
  const sections = message.sections.map(({ heading, text, memoryIds }) => ({ heading, text, memoryIds }));
  return { text, sections, tokenCount, searchId, degradedStages };
}
