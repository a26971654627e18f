import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { Conflict, InvalidArgument, NotFound, Unauthenticated, where } from "../src/index.js";
import { Client } from "../src/index.js";
import { all, connect, fresh, reachable } from "./server.js";

suite("memories", { skip: reachable ? false : "no server: RECALLD_ADDR and RECALLD_KEY are not set" }, () => {
  const client = connect();

  test("what is written is found, in both languages, with its fields", async () => {
    const memory = await fresh(client);
    const eventTime = new Date("2025-03-01T09:30:00Z");
    const written = await memory.write("爱丽丝对花生过敏。", {
      kind: "semantic",
      userId: "alice",
      tags: ["食物"],
      metadata: { rank: 9, plan: { tier: "pro" } },
      eventTime,
    });
    assert.equal(written.outcome, "created");
    await memory.write("The deploy of atlas failed because a migration was missing.", {
      kind: "episodic",
      toolCalls: [{ tool: "deploy", status: "error", error: "relation does not exist" }],
    });
    const [hit] = (await memory.search("花生过敏", { userIds: "alice", topK: 1, explain: true })).hits;
    assert.equal(hit?.content, "爱丽丝对花生过敏。");
    assert.deepEqual(hit.memory.metadata, { rank: 9, plan: { tier: "pro" } });
    assert.deepEqual([hit.memory.eventTime, hit.memory.tags, hit.memory.kind], [eventTime, ["食物"], "semantic"]);
    const found = await memory.search("why did the deploy fail?", { kinds: "episodic" });
    assert.equal(found.hits[0]?.memory.toolCalls[0]?.status, "error");
    assert.equal(await memory.markUsed(found.searchId, [found.hits[0].memory.memoryId]), 1);
    assert.equal((await memory.search("alice", { metadata: where("rank").gt(9) })).hits.length, 0);
    assert.match((await memory.context("爱丽丝对什么过敏？", { maxTokens: 200 })).text, /花生/);
  });

  test("the same again is a duplicate, and a retry gets the first answer", async () => {
    const memory = await fresh(client);
    const first = await memory.write("Bob drinks tea.", { requestId: "one" });
    const again = await memory.write("Bob drinks tea.");
    assert.deepEqual([again.outcome, again.memoryId], ["duplicate", first.memoryId]);
    assert.equal((await memory.write("Bob drinks tea.", { requestId: "one" })).outcome, "created");
    await assert.rejects(memory.write("Bob drinks milk.", { requestId: "one" }), { reason: "REQUEST_ID_REUSED" });
  });

  test("a batch and a stream answer item by item, in order", async () => {
    const memory = await fresh(client);
    const batch = await memory.writeBatch(["部署前先运行迁移。", "   ", { content: "Run the linter first.", kind: "procedural" }]);
    assert.deepEqual(batch.map((item) => item.result?.outcome ?? item.error?.name), ["created", "InvalidArgument", "created"]);
    async function* lines() {
      for (let n = 0; n < 5; n += 1) yield `Fact number ${n} about line ${n * 7}.`;
    }
    const answers = await all(memory.writeStream(lines(), { streamId: "s" }));
    assert.deepEqual(answers.map((item) => item.sequence), [0, 1, 2, 3, 4]);
    const repeated = await all(memory.writeStream(lines(), { streamId: "s" }));
    assert.deepEqual(repeated.map((item) => item.result?.memoryId), answers.map((item) => item.result?.memoryId));
    assert.equal((await all(memory.list({}, { pageSize: 2 }))).length, 7);
    assert.equal((await memory.stats()).total, 7);
  });

  test("a change names what it changes, is guarded, and can be taken back", async () => {
    const memory = await fresh(client);
    const { memoryId, etag } = await memory.write("The window is on Friday.", { userId: "carol", tags: ["ops"] });
    const changed = await memory.update(memoryId, { content: "发布窗口在周五。" }, { etag, reason: "中文" });
    assert.deepEqual([changed.content, changed.userId, changed.tags], ["发布窗口在周五。", "carol", ["ops"]]);
    await assert.rejects(memory.update(memoryId, { userId: null }, { etag }), (error: Conflict) => {
      return error instanceof Conflict && error.etag === changed.etag;
    });
    assert.equal((await memory.update(memoryId, { userId: null })).userId, "");
    await memory.restore(memoryId, { revision: 1 });
    assert.equal((await memory.get(memoryId)).content, "The window is on Friday.");
    assert.deepEqual((await all(memory.revisions(memoryId))).map((each) => each.action).slice(-1), ["write"]);
  });

  test("forgetting by filter shows first, then does what it showed", async () => {
    const memory = await fresh(client);
    await memory.writeBatch([{ content: "Dan likes cheese.", userId: "dan" }, { content: "小丹住在上海。", userId: "dan" }, "Eve likes ham."]);
    const plan = await memory.planForget({ userIds: "dan" }, { mode: "erase" });
    assert.equal(plan.count, 2);
    assert.equal((await all(memory.list())).length, 3);
    const done = await plan.confirm();
    assert.deepEqual([done.count, done.receipt?.counts["memories"]], [2, 2]);
    const [left] = await all(memory.list());
    assert.equal((await memory.forget(left!.memoryId)).count, 1);
  });

  test("errors are typed and say what to do", async () => {
    const memory = await fresh(client);
    await assert.rejects(memory.write("   "), InvalidArgument);
    await assert.rejects(memory.get("01890a5d-ac96-774b-bcce-b302099a8057"), NotFound);
    await assert.rejects(client.namespace("ts/nowhere").search("x"), { name: "NotFound", reason: "NAMESPACE_NOT_FOUND" });
    const stranger = new Client({ key: "rk_unknown_secret" });
    await assert.rejects(stranger.write("x"), Unauthenticated).finally(() => stranger.close());
  });

  test("a call ends with its signal, and with its time", async () => {
    const memory = await fresh(client);
    await assert.rejects(memory.search("x", { signal: AbortSignal.abort() }), { name: "Cancelled" });
    await assert.rejects(memory.search("x", { timeoutMs: 0 }), { name: "DeadlineExceeded" });
  });

  test("keys are made, listed without secrets, and revoked", async () => {
    const memory = await fresh(client);
    const { key, secret } = await client.keys.create("reader", "reader", { namespaces: [memory.name] });
    const reader = new Client({ key: secret, namespace: memory.name });
    assert.equal((await reader.search("anything")).hits.length, 0);
    await assert.rejects(reader.write("不行"), { name: "PermissionDenied" }).finally(() => reader.close());
    const listed = await all(client.keys.list({ pageSize: 1 }));
    assert.ok(listed.some((each) => each.keyId === key.keyId) && !JSON.stringify(listed, text).includes(secret));
    assert.ok((await client.keys.revoke(key.keyId)).revokeTime);
  });
});

const text = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
