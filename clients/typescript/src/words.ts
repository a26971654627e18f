/** The words of the contract: the names of its enumerations in lower case, without their prefix. */

import type { DescEnum } from "@bufbuild/protobuf";

import { InvalidArgument } from "./errors.js";

export type Kind = "working" | "episodic" | "semantic" | "procedural";
export type Visibility = "private" | "shared";
export type State = "active" | "superseded" | "pending_review" | "archived" | "forgotten" | "expired" | "rejected";
export type IndexState = "pending" | "indexed" | "failed";
export type ToolStatus = "ok" | "error" | "timeout" | "cancelled";
export type Outcome = "created" | "duplicate" | "superseded" | "conflict" | "below_threshold" | "accepted";
export type Durability = "indexed" | "accepted";
export type TimeMode = "boost" | "filter" | "ignore";
export type ForgetMode = "archive" | "forget" | "erase";
export type TurnRole = "user" | "assistant" | "tool" | "system";
export type SessionState = "open" | "ended";
export type ReflectionTarget =
  | "preferences"
  | "facts"
  | "patterns"
  | "lessons"
  | "compress_episodes"
  | "expire_stale";
export type ReflectionState = "pending" | "running" | "succeeded" | "failed" | "cancelled";
export type ReviewState = "open" | "resolved" | "expired";
export type ReviewCause = "low_confidence" | "conflict";
export type ReviewDecision = "approve" | "edit" | "reject" | "keep_both" | "choose";
export type EventType = "created" | "updated" | "superseded" | "forgotten" | "expired" | "reviewed" | "checkpoint" | "reset";
export type Role = "reader" | "writer" | "reflector" | "admin";

/** The number of a word. Throws InvalidArgument for a word that the contract lacks. */
export function toNumber(schema: DescEnum, word: string | undefined, field: string): number {
  if (word === undefined) return 0;
  const known = schema.values.filter((each) => each.number !== 0);
  const found = known.find((each) => each.localName === word.toUpperCase());
  if (found) return found.number;
  throw InvalidArgument.of(field, `takes ${known.map((each) => each.localName.toLowerCase()).join(", ")}`);
}

/** As `toNumber`, for one word or several. */
export function toNumbers(schema: DescEnum, words: string | readonly string[] | undefined, field: string): number[] {
  return many(words).map((word) => toNumber(schema, word, field));
}

/** The word of a number; a number that this client is too old to know becomes its digits. */
export function toWord<Word extends string>(schema: DescEnum, value: number): Word {
  const found = schema.values.find((each) => each.number === value);
  return (found ? found.localName.toLowerCase() : String(value)) as Word;
}

/** One or several as a list. */
export function many<Item>(value: Item | readonly Item[] | undefined): Item[] {
  return value === undefined ? [] : Array.isArray(value) ? [...(value as readonly Item[])] : [value as Item];
}
