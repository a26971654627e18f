import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { suite, test } from "node:test";

import type { WatchEvent } from "../src/index.js";
import { all, connect, fresh, reachable } from "./server.js";

suite("sessions, following and moving", { skip: reachable ? false : "no server: RECALLD_ADDR and RECALLD_KEY are not set" }, () => {
  const client = connect();

  test("a session keeps turns and variables, for every agent that names it", async () => {
    const memory = await fresh(client);
    const session = memory.session("s1", { userId: "alice" });
    await session.add("我从现在起吃素。");
    const after = await session.add({
      role: "assistant",
      content: "Noted.",
      toolCalls: [{ tool: "save", status: "error", error: "disk full" }],
    });
    assert.deepEqual([after.turnCount, after.userId, after.state], [2, "alice", "open"]);
    const set = await session.set({ 步骤: 3, plan: { tier: "pro" } });
    await assert.rejects(session.set({ 步骤: 4 }, { etag: after.etag }), { name: "Conflict" });
    assert.deepEqual((await session.set({ plan: null }, { etag: set.etag })).variables, { 步骤: 3 });
    const { turns } = await memory.session("s1").get({ maxTurns: 1 });
    assert.deepEqual(turns.map((turn) => [turn.role, turn.content, turn.toolCalls[0]?.status]), [["assistant", "Noted.", "error"]]);
    assert.deepEqual((await all(memory.sessions({ state: "open" }))).map((each) => each.sessionId), ["s1"]);
    assert.equal((await session.end({ skipReflection: true })).session.state, "ended");
  });

  test("a watch tells of another agent's writes, in order, and goes on from its token", async () => {
    const memory = await fresh(client);
    const stop = new AbortController();
    const { resumeToken } = await firstOf(memory.watch({ signal: stop.signal }), () => memory.write(`knock ${randomUUID()}`));
    await memory.writeBatch(["第二件事。", "A third one, quite different."]);
    const seen: (string | undefined)[] = [];
    for await (const event of memory.watch({ resumeToken, types: "created" })) {
      if (!event.memory?.content.startsWith("knock")) seen.push(event.memory?.content);
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, ["第二件事。", "A third one, quite different."]);
    stop.abort();
  });

  test("an aborted watch ends without an error", async () => {
    const memory = await fresh(client);
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    assert.deepEqual(await all(memory.watch({ signal: stop.signal })), []);
  });

  test("what is exported comes back as it was, elsewhere", async () => {
    const memory = await fresh(client);
    const there = await fresh(client);
    await memory.writeBatch([{ content: "爱丽丝住在上海。", tags: ["城市"], metadata: { n: 9007199254740991 } }, "Bob drinks tea."]);
    const records = await all(memory.export({}, { includeRevisions: true }));
    const answers = await all(there.import(records, { importId: "i" }));
    assert.deepEqual(answers.map(({ sequence, error }) => [sequence, error]), [[0, ""], [1, ""]]);
    const shown = async (view: typeof memory) =>
      (await all(view.list())).map(({ content, tags, metadata, createTime }) => ({ content, tags, metadata, createTime }));
    assert.deepEqual(await shown(there), await shown(memory));
  });
});

/** The first event that an action sets off; the watch is left open. */
async function firstOf(events: AsyncGenerator<WatchEvent>, action: () => Promise<unknown>): Promise<WatchEvent> {
  const next = events.next();
  // a watch without a token tells of what comes after it began, so the action is repeated until it was heard
  for (let heard = false; !heard; ) {
    await action();
    heard = await Promise.race([next.then(() => true), new Promise<boolean>((go) => setTimeout(go, 50, false))]);
  }
  return (await next).value!;
}
