/** recalld for TypeScript: `new Client()`, then `write`, `search`, `context`, … */

export { Client, NamespaceView } from "./client.js";
export type { CallSettings } from "./connection.js";
export * from "./errors.js";
export type { ClientOptions } from "./settings.js";
export type { NumberRange, TimeRange } from "./values/common.js";
export { where, type Condition, type Filter } from "./values/filters.js";
export type {
  BatchItem,
  Changes,
  Memory,
  MemoryFields,
  MemoryInput,
  Revision,
  Stats,
  ToolCall,
  WriteResult,
} from "./values/memories.js";
export type {
  Insight,
  Reflection,
  ReflectionScope,
  Review,
  SessionInfo,
  Turn,
  TurnInput,
  WatchEvent,
} from "./values/others.js";
export { SearchResult, type Context, type Hit, type SearchOptions } from "./values/searches.js";
export type { Grantee, Policy } from "./verbs/admin.js";
export type { MutationSettings } from "./verbs/bound.js";
export type { ContextOptions, ForgetPlan, Forgotten } from "./verbs/finding.js";
export { Session } from "./verbs/living.js";
export type { GuardedSettings, WriteSettings } from "./verbs/memories.js";
export type * from "./words.js";
