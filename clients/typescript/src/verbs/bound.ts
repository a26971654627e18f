/** What every group of verbs stands on: a connection and a namespace. */

import { randomUUID } from "node:crypto";

import type { CallSettings, Connection } from "../connection.js";

/** What a call that changes something takes. */
export interface MutationSettings extends CallSettings {
  /** Your own name for the call, which makes a retry safe across a crash of your process too; left out: a random one. */
  requestId?: string;
}

export class Bound {
  constructor(
    protected readonly connection: Connection,
    /** The namespace that the verbs are bound to. */
    readonly name: string,
  ) {}

  /** The fields that every mutation sends. */
  protected target(given: MutationSettings) {
    return { namespace: this.name, requestId: given.requestId ?? randomUUID() };
  }
}

/** Every item of a paged list, page by page as they are asked for. */
export async function* pages<Page extends { nextPageToken: string }, Item>(
  fetch: (pageToken: string) => Promise<Page>,
  items: (page: Page) => readonly Item[],
): AsyncGenerator<Item> {
  let token = "";
  do {
    const page = await fetch(token);
    yield* items(page);
    token = page.nextPageToken;
  } while (token);
}
