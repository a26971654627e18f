/** The server that the tests speak to: RECALLD_ADDR and RECALLD_KEY say where it is. */

import { randomUUID } from "node:crypto";
import { after } from "node:test";

import { Client, type NamespaceView } from "../src/index.js";

export const reachable = Boolean(process.env["RECALLD_ADDR"] && process.env["RECALLD_KEY"]);

/** A client that is closed when the tests of the file are done. */
export function connect(): Client {
  const client = new Client();
  after(() => client.close());
  return client;
}

/** A namespace of its own for one test. */
export async function fresh(client: Client): Promise<NamespaceView> {
  const name = `ts/${randomUUID()}`;
  await client.namespaces.create(name);
  return client.namespace(name);
}

/** All that an iterable gives. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
