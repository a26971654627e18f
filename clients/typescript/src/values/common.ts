/** Times, JSON and ranges: from what people write to what the contract takes, and back. */

import { timestampDate, timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

import { InvalidArgument } from "../errors.js";

/** Half-open: start ≤ t < end. A side that is left out is open. */
export interface TimeRange {
  start?: Date;
  end?: Date;
}

/** Both ends included. A side that is left out is open. */
export interface NumberRange {
  min?: number;
  max?: number;
}

export function toTimestamp(date: Date | undefined, field: string): Timestamp | undefined {
  if (date === undefined) return undefined;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) throw InvalidArgument.of(field, "takes a valid Date");
  return timestampFromDate(date);
}

export function fromTimestamp(value: Timestamp | undefined): Date | undefined {
  return value && timestampDate(value);
}

/** The time of a field that the server always sets. */
export function timeOf(value: Timestamp | undefined): Date {
  return value ? timestampDate(value) : new Date(0);
}

export function toTimeRange(range: TimeRange | undefined, field: string) {
  return range && { start: toTimestamp(range.start, `${field}.start`), end: toTimestamp(range.end, `${field}.end`) };
}

export function fromTimeRange(range: { start?: Timestamp; end?: Timestamp } | undefined): TimeRange | undefined {
  return range && { start: fromTimestamp(range.start), end: fromTimestamp(range.end) };
}

/** Checks what the contract cannot carry exactly, and names the place. Throws InvalidArgument. */
export function toMetadata(value: JsonObject | undefined, field: string): JsonObject | undefined {
  if (value !== undefined) checkJson(value, field);
  return value;
}

/** As `toMetadata`, for any JSON value. */
export function checkJson(value: JsonValue, field: string): void {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw InvalidArgument.of(field, "NaN and infinities are not JSON: send a string");
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw InvalidArgument.of(field, "an integer beyond ±(2^53 − 1) would lose digits: send a string");
    }
  } else if (Array.isArray(value)) {
    value.forEach((each, index) => checkJson(each, `${field}[${index}]`));
  } else if (value !== null && typeof value === "object") {
    for (const [key, each] of Object.entries(value)) checkJson(each, `${field}.${key}`);
  } else if (value === undefined || typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    throw InvalidArgument.of(field, "is not JSON");
  }
}
