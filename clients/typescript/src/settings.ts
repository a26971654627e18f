/** Where the server is and who asks: from arguments, then the environment, then the defaults. */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";

import { ConfigurationError } from "./errors.js";

/** What a client is made with. What is left out comes from `RECALLD_ADDR`, `RECALLD_KEY`, … */
export interface ClientOptions {
  /** `host:port` or `unix:path`; RECALLD_ADDR; default 127.0.0.1:50051. */
  addr?: string;
  /** The key; RECALLD_KEY, or a file named by RECALLD_KEY_FILE. */
  key?: string;
  /** The namespace that the verbs are bound to; RECALLD_NAMESPACE; default "default". */
  namespace?: string;
  /** Speak TLS; RECALLD_TLS. Without it only addresses of this machine are allowed. */
  tls?: boolean;
  /** Authorities to trust instead of the system's; RECALLD_CA_FILE. */
  caFile?: string;
  /** The client's own certificate and its key; RECALLD_CERT_FILE, RECALLD_CERT_KEY_FILE. */
  certFile?: string;
  certKeyFile?: string;
  /** Allow plain text over a network that is trusted; RECALLD_INSECURE. */
  insecure?: boolean;
  /** Milliseconds that bound a mutation, retries included; default 30,000. */
  timeoutMs?: number;
  /** Milliseconds that bound a read; default 10,000. */
  readTimeoutMs?: number;
  /** Calls at most, the first included, when the server does not answer; default 5. */
  attempts?: number;
}

/** A complete set. */
export interface Settings {
  host: string;
  port: number;
  socketPath?: string;
  key: string;
  namespace: string;
  tls: boolean;
  caFile?: string;
  certFile?: string;
  certKeyFile?: string;
  timeoutMs: number;
  readTimeoutMs: number;
  attempts: number;
}

const WORDS: Record<string, boolean> = { "1": true, true: true, yes: true, on: true, "0": false, false: false, no: false, off: false };

/** The settings. Throws ConfigurationError for what cannot work, before any call is made. */
export function load(given: ClientOptions, env: NodeJS.ProcessEnv = process.env): Settings {
  const text = (name: string) => env[name]?.trim() || undefined;
  const addr = given.addr ?? text("RECALLD_ADDR") ?? "127.0.0.1:50051";
  const tls = given.tls ?? flag("RECALLD_TLS", text("RECALLD_TLS"));
  const place = parse(addr);
  const insecure = given.insecure ?? flag("RECALLD_INSECURE", text("RECALLD_INSECURE"));
  if (!tls && !insecure && !place.socketPath && !isLoopback(place.host)) {
    throw new ConfigurationError(
      `${place.host} is another machine and tls is off: set tls, or insecure where the network is trusted`,
    );
  }
  const settings: Settings = {
    ...place,
    key: given.key ?? text("RECALLD_KEY") ?? keyFile(text("RECALLD_KEY_FILE")),
    namespace: given.namespace ?? text("RECALLD_NAMESPACE") ?? "default",
    tls,
    caFile: given.caFile ?? text("RECALLD_CA_FILE"),
    certFile: given.certFile ?? text("RECALLD_CERT_FILE"),
    certKeyFile: given.certKeyFile ?? text("RECALLD_CERT_KEY_FILE"),
    timeoutMs: given.timeoutMs ?? 30_000,
    readTimeoutMs: given.readTimeoutMs ?? 10_000,
    attempts: given.attempts ?? 5,
  };
  if (settings.key && !/^[\x21-\x7e]+$/.test(settings.key)) {
    throw new ConfigurationError("key: holds blanks or characters that are not plain ASCII: give it as it was made");
  }
  if (Boolean(settings.certFile) !== Boolean(settings.certKeyFile)) {
    throw new ConfigurationError("certFile and certKeyFile go together: give both or neither");
  }
  if (!tls && (settings.caFile || settings.certFile)) {
    throw new ConfigurationError("caFile and certFile are for TLS: set tls too");
  }
  if (!Number.isInteger(settings.attempts) || settings.attempts < 1) {
    throw new ConfigurationError("attempts: takes a whole number from 1 on");
  }
  return settings;
}

function flag(name: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const known = WORDS[value.toLowerCase()];
  if (known === undefined) throw new ConfigurationError(`${name}: takes true or false`);
  return known;
}

function keyFile(path: string | undefined): string {
  if (path === undefined) return "";
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new ConfigurationError(`RECALLD_KEY_FILE ${path}: ${(error as NodeJS.ErrnoException).code ?? "cannot be read"}`);
  }
}

function parse(addr: string): { host: string; port: number; socketPath?: string } {
  if (addr.startsWith("unix:")) return { host: "localhost", port: 0, socketPath: addr.slice("unix:".length) };
  if (isIP(addr) === 6) return { host: addr, port: 50051 };
  const match = /^(?:\[([^\[\]\s]+)\]|([^:\[\]\s/@]+))(?::(\d{1,5}))?$/.exec(addr);
  const port = Number(match?.[3] ?? 50051);
  if (!match || port < 1 || port > 65535) throw new ConfigurationError("addr: takes host:port, [ipv6]:port or unix:path");
  return { host: (match[1] ?? match[2])!, port };
}

function isLoopback(host: string): boolean {
  return host.toLowerCase() === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
