/**
 * Everything that a call can throw.
 *
 * RecalldError
 * ├── InvalidArgument       a field breaks a rule: `fields` says which and how; nothing was written
 * ├── Unauthenticated       no key, an unknown or a revoked one
 * ├── PermissionDenied      the key's roles do not allow the call
 * ├── NotFound              not there, or not for this key: the two look the same
 * ├── AlreadyExists         the namespace or the chosen memory id is taken
 * ├── Conflict              someone else changed it: `etag` says what it is now
 * ├── FailedPrecondition    the state of things does not allow it (see `reason`)
 * ├── QuotaExceeded         too much or too often; `retryAfter` seconds, when the server says
 * ├── Unavailable           the server, its store or its model does not answer; `retryAfter` likewise
 * ├── DeadlineExceeded      the deadline passed; a mutation may have been carried out all the same
 * ├── Cancelled             the call was given up
 * ├── NotServed             this server does not serve the call
 * ├── InternalError         a fault of the server; `metadata.error_id` finds it in the server's log
 * └── ConfigurationError    the client was set up wrongly; no call was made
 */

import { isMessage, type Message } from "@bufbuild/protobuf";
import { anyUnpack, type Any } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import type { Status } from "./gen/google/rpc/status_pb.js";

const DOMAIN = "recalld.dev";

/** What is wrong with one field of a request. */
export interface FieldError {
  /** The path of the field, such as "memory.metadata.score". */
  readonly field: string;
  readonly description: string;
}

/** What a status says besides its code and its text. */
export interface Details {
  /** The server's ErrorReason ("MEMORY_NOT_FOUND"); "" when the failure did not come from the server. */
  reason: string;
  metadata: Readonly<Record<string, string>>;
  fields: readonly FieldError[];
  /** Seconds after which a retry may help. */
  retryAfter?: number;
}

const NOTHING: Details = { reason: "", metadata: {}, fields: [] };

/** Base of all. The message says what to do; it never holds a key, a query or the text of a memory. */
export class RecalldError extends Error {
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;

  constructor(message: string, details: Details = NOTHING) {
    super(message);
    this.name = new.target.name;
    this.reason = details.reason;
    this.metadata = details.metadata;
  }
}

/** A field breaks a rule; nothing was written. */
export class InvalidArgument extends RecalldError {
  readonly fields: readonly FieldError[];

  constructor(message: string, details: Details = NOTHING) {
    super(message, { ...details, reason: details.reason || "INVALID_FIELD" });
    this.fields = details.fields;
  }

  /** The refusal of one field, before anything is sent. */
  static of(field: string, description: string): InvalidArgument {
    return new InvalidArgument(`${field}: ${description}`, { ...NOTHING, fields: [{ field, description }] });
  }
}

/** No key, an unknown or a revoked one. */
export class Unauthenticated extends RecalldError {}
/** The key's roles do not allow the call. */
export class PermissionDenied extends RecalldError {}
/** Not there, or not for this key: the two look the same. */
export class NotFound extends RecalldError {}
/** The namespace, or the chosen memory id, is taken. */
export class AlreadyExists extends RecalldError {}
/** The state of things does not allow the call; `reason` says which rule. */
export class FailedPrecondition extends RecalldError {}
/** The deadline passed. A mutation may have been carried out: repeat it with the same requestId to find out. */
export class DeadlineExceeded extends RecalldError {}
/** The call was given up before it ended. */
export class Cancelled extends RecalldError {}
/** This server does not serve the call. */
export class NotServed extends RecalldError {}
/** A fault of the server. */
export class InternalError extends RecalldError {}
/** The client was set up wrongly; no call was made. */
export class ConfigurationError extends RecalldError {}

/** Someone else changed it in the meantime: read it again, then retry. */
export class Conflict extends RecalldError {
  /** The etag that it has now; "" when the server did not say. */
  get etag(): string {
    return this.metadata["current_etag"] ?? "";
  }
}

class Later extends RecalldError {
  /** Seconds after which a retry may help; undefined when the server did not say. */
  readonly retryAfter: number | undefined;

  constructor(message: string, details: Details = NOTHING) {
    super(message, details);
    this.retryAfter = details.retryAfter;
  }
}

/** Too many calls, memories or bytes. */
export class QuotaExceeded extends Later {}
/** The server, its store or its model does not answer. Mutations can be repeated with the same requestId. */
export class Unavailable extends Later {}

const TYPES: Partial<Record<Code, new (message: string, details?: Details) => RecalldError>> = {
  [Code.InvalidArgument]: InvalidArgument,
  [Code.OutOfRange]: InvalidArgument,
  [Code.Unauthenticated]: Unauthenticated,
  [Code.PermissionDenied]: PermissionDenied,
  [Code.NotFound]: NotFound,
  [Code.AlreadyExists]: AlreadyExists,
  [Code.Aborted]: Conflict,
  [Code.FailedPrecondition]: FailedPrecondition,
  [Code.ResourceExhausted]: QuotaExceeded,
  [Code.Unavailable]: Unavailable,
  [Code.DeadlineExceeded]: DeadlineExceeded,
  [Code.Canceled]: Cancelled,
  [Code.Unimplemented]: NotServed,
};

/** What a failed call threw, as one of ours. What did not come from the call is given back as it is. */
export function fromThrown(thrown: unknown): unknown {
  if (!(thrown instanceof ConnectError)) return thrown;
  const info = thrown.findDetails(ErrorInfoSchema).find((each) => each.domain === DOMAIN);
  const retry = thrown.findDetails(RetryInfoSchema)[0];
  return make(thrown.code, thrown.rawMessage, [info, ...thrown.findDetails(BadRequestSchema), retry]);
}

/** The error of one failed item of a batch or a stream. */
export function fromStatus(status: Status): RecalldError {
  return make(status.code as Code, status.message, status.details.map(unpack));
}

function unpack(detail: Any): Message | undefined {
  return anyUnpack(detail, ErrorInfoSchema) ?? anyUnpack(detail, BadRequestSchema) ?? anyUnpack(detail, RetryInfoSchema);
}

function make(code: Code, message: string, found: readonly (Message | undefined)[]): RecalldError {
  const details: Details = { ...NOTHING };
  for (const detail of found) {
    if (isMessage(detail, ErrorInfoSchema) && detail.domain === DOMAIN) {
      details.reason = detail.reason;
      details.metadata = detail.metadata;
    } else if (isMessage(detail, BadRequestSchema)) {
      details.fields = [...details.fields, ...detail.fieldViolations];
    } else if (isMessage(detail, RetryInfoSchema) && detail.retryDelay) {
      details.retryAfter = Number(detail.retryDelay.seconds) + detail.retryDelay.nanos / 1e9;
    }
  }
  const type = TYPES[code] ?? InternalError;
  return new type(message || `the call failed with ${Code[code] ?? code}`, details);
}
