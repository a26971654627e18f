/** The contract as generated: every message, enumeration and service. */

export * from "./gen/recalld/v1/error_reason_pb.js";
export * from "./gen/recalld/v1/memory_pb.js";
export * from "./gen/recalld/v1/memory_service_pb.js";
export * from "./gen/recalld/v1/namespace_service_pb.js";
export * from "./gen/recalld/v1/review_service_pb.js";
export * from "./gen/recalld/v1/session_service_pb.js";
export * from "./gen/recalld/v1/watch_service_pb.js";
