/** Which memories are meant. */

import { create, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { ListValueSchema, ValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import { fromJson } from "@bufbuild/protobuf";

import {
  IndexStateSchema,
  MemoryKindSchema,
  MemoryStateSchema,
  MetadataOperator,
  VisibilitySchema,
  type FilterSchema,
  type MetadataConditionSchema,
} from "../gen/recalld/v1/memory_pb.js";
import { many, toNumber, toNumbers, type IndexState, type Kind, type State, type Visibility } from "../words.js";
import { checkJson, toTimeRange, type NumberRange, type TimeRange } from "./common.js";

/** Every part that is given must hold. One value may stand for a list of one. */
export interface Filter {
  kinds?: Kind | readonly Kind[];
  allTags?: string | readonly string[];
  anyTags?: string | readonly string[];
  userIds?: string | readonly string[];
  sessionIds?: string | readonly string[];
  agentIds?: string | readonly string[];
  anyEntities?: string | readonly string[];
  /** Derived from at least one of these memories or turns. */
  anySourceIds?: string | readonly string[];
  /** Left out: active only. */
  states?: State | readonly State[];
  indexStates?: IndexState | readonly IndexState[];
  visibility?: Visibility;
  confidence?: NumberRange;
  importance?: NumberRange;
  eventTime?: TimeRange;
  createTime?: TimeRange;
  /** Conditions on the caller's own data: `where("rank").gt(5)`. */
  metadata?: Condition | readonly Condition[];
}

export type Condition = MessageInitShape<typeof MetadataConditionSchema>;

/** Begins a condition on a metadata key. Keys are literal; several go down: `where("plan", "tier").eq("pro")`. */
export function where(...path: [string, ...string[]]) {
  const field = path.join(".");
  const compare = (operator: MetadataOperator) => (value: JsonValue): Condition => ({ path, operator, value: toValue(value, field) });
  return {
    eq: compare(MetadataOperator.EQ),
    ne: compare(MetadataOperator.NE),
    lt: compare(MetadataOperator.LT),
    le: compare(MetadataOperator.LE),
    gt: compare(MetadataOperator.GT),
    ge: compare(MetadataOperator.GE),
    contains: compare(MetadataOperator.CONTAINS),
    in: (values: readonly JsonValue[]): Condition => ({
      path,
      operator: MetadataOperator.IN,
      values: create(ListValueSchema, { values: values.map((value) => toValue(value, field)) }),
    }),
    exists: (): Condition => ({ path, operator: MetadataOperator.EXISTS }),
    missing: (): Condition => ({ path, operator: MetadataOperator.MISSING }),
    isNull: (): Condition => ({ path, operator: MetadataOperator.IS_NULL }),
  };
}

function toValue(value: JsonValue, field: string): Value {
  checkJson(value, field);
  return fromJson(ValueSchema, value);
}

/** The message, or undefined when nothing is given. */
export function toFilter(filter: Filter | undefined): MessageInitShape<typeof FilterSchema> | undefined {
  if (!filter || Object.values(filter).every((part) => part === undefined)) return undefined;
  return {
    kinds: toNumbers(MemoryKindSchema, filter.kinds, "kinds"),
    allTags: many(filter.allTags),
    anyTags: many(filter.anyTags),
    userIds: many(filter.userIds),
    sessionIds: many(filter.sessionIds),
    agentIds: many(filter.agentIds),
    anyEntities: many(filter.anyEntities),
    anySourceIds: many(filter.anySourceIds),
    states: toNumbers(MemoryStateSchema, filter.states, "states"),
    indexStates: toNumbers(IndexStateSchema, filter.indexStates, "indexStates"),
    visibility: toNumber(VisibilitySchema, filter.visibility, "visibility"),
    confidence: filter.confidence,
    importance: filter.importance,
    eventTime: toTimeRange(filter.eventTime, "eventTime"),
    createTime: toTimeRange(filter.createTime, "createTime"),
    metadata: many(filter.metadata),
  };
}
