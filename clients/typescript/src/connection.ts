/** One connection, its deadlines and its retries. */

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { DescService } from "@bufbuild/protobuf";
import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";

import { Cancelled, DeadlineExceeded, fromThrown, QuotaExceeded, Unavailable } from "./errors.js";
import { MemoryService } from "./gen/recalld/v1/memory_service_pb.js";
import { NamespaceService } from "./gen/recalld/v1/namespace_service_pb.js";
import { ReviewService } from "./gen/recalld/v1/review_service_pb.js";
import { SessionService } from "./gen/recalld/v1/session_service_pb.js";
import { WatchService } from "./gen/recalld/v1/watch_service_pb.js";
import type { Settings } from "./settings.js";

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** What every call takes. */
export interface CallSettings {
  /** Milliseconds until the call is given up; Infinity: never. */
  timeoutMs?: number;
  /** Gives the call up when it is aborted. */
  signal?: AbortSignal;
}

/** The five services on one HTTP/2 connection, which opens at the first call and is renewed when it breaks. */
export class Connection {
  readonly memory: Client<typeof MemoryService>;
  readonly session: Client<typeof SessionService>;
  readonly namespace: Client<typeof NamespaceService>;
  readonly review: Client<typeof ReviewService>;
  readonly watch: Client<typeof WatchService>;
  readonly #sessions: Http2SessionManager;

  constructor(readonly settings: Settings) {
    const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
    const baseUrl = `${settings.tls ? "https" : "http"}://${host}${settings.socketPath ? "" : `:${settings.port}`}`;
    this.#sessions = new Http2SessionManager(baseUrl, undefined, nodeOptions(settings));
    const transport = createGrpcTransport({
      baseUrl,
      sessionManager: this.#sessions,
      readMaxBytes: MAX_MESSAGE_BYTES,
      writeMaxBytes: MAX_MESSAGE_BYTES,
      interceptors: [
        (next) => (request) => {
          if (settings.key) request.header.set("authorization", `Bearer ${settings.key}`);
          return next(request);
        },
      ],
    });
    const on = <Service extends DescService>(service: Service, over: Transport = transport) => createClient(service, over);
    this.memory = on(MemoryService);
    this.session = on(SessionService);
    this.namespace = on(NamespaceService);
    this.review = on(ReviewService);
    this.watch = on(WatchService);
  }

  /** Reads: bounded by `readTimeoutMs`. */
  read<Answer>(call: (options: CallOptions) => Promise<Answer>, given: CallSettings = {}): Promise<Answer> {
    return this.#run(call, given, this.settings.readTimeoutMs);
  }

  /** Changes something: bounded by `timeoutMs`. Its request carries a request id, so a repetition has no second effect. */
  mutate<Answer>(call: (options: CallOptions) => Promise<Answer>, given: CallSettings = {}): Promise<Answer> {
    return this.#run(call, given, this.settings.timeoutMs);
  }

  /** The answers of a stream, its failure as one of our errors. Without `timeoutMs` it has no deadline. */
  async *stream<Answer>(call: (options: CallOptions) => AsyncIterable<Answer>, given: CallSettings = {}): AsyncGenerator<Answer> {
    const timeoutMs = given.timeoutMs === Infinity ? undefined : given.timeoutMs;
    try {
      yield* call({ signal: given.signal, timeoutMs });
    } catch (thrown) {
      throw fromThrown(thrown);
    }
  }

  /** Milliseconds to wait after this failure, the n-th in a row; undefined: a repetition cannot mend it. */
  wait(error: unknown, failures: number): number | undefined {
    const asked = error instanceof Unavailable || error instanceof QuotaExceeded ? error.retryAfter : undefined;
    if (!(error instanceof Unavailable) && asked === undefined) return undefined;
    const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 30));
    return Math.max(full * (0.5 + Math.random() / 2), (asked ?? 0) * 1000);
  }

  /** Ends the connection and the calls on it. Can be called again. */
  close(): void {
    this.#sessions.abort();
  }

  async #run<Answer>(call: (options: CallOptions) => Promise<Answer>, given: CallSettings, usual: number): Promise<Answer> {
    const end = performance.now() + (given.timeoutMs ?? usual);
    for (let failures = 1; ; failures++) {
      const left = end - performance.now();
      if (left <= 0) throw new DeadlineExceeded("the call took too long: give it more time with timeoutMs");
      try {
        return await call({ signal: given.signal, timeoutMs: left === Infinity ? undefined : Math.ceil(left) });
      } catch (thrown) {
        const error = fromThrown(thrown);
        const wait = failures < this.settings.attempts ? this.wait(error, failures) : undefined;
        if (wait === undefined || wait >= end - performance.now()) throw error;
        await sleep(wait, undefined, { signal: given.signal }).catch(() => {
          throw new Cancelled("the call was given up while it waited for the server");
        });
      }
    }
  }
}

function nodeOptions(settings: Settings) {
  const { socketPath, caFile, certFile, certKeyFile } = settings;
  return {
    ...(socketPath ? { createConnection: () => connect(socketPath) } : {}),
    ...(caFile ? { ca: readFileSync(caFile) } : {}),
    ...(certFile && certKeyFile ? { cert: readFileSync(certFile), key: readFileSync(certKeyFile) } : {}),
  };
}
