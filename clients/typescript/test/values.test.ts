import assert from "node:assert/strict";
import { test } from "node:test";

import { Code, ConnectError } from "@connectrpc/connect";

import { InvalidArgument, RecalldError, Unavailable, fromThrown } from "../src/errors.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { toFilter, where } from "../src/values/filters.js";
import { toMemoryInput, toUpdate } from "../src/values/memories.js";
import { MemoryKindSchema } from "../src/gen/recalld/v1/memory_pb.js";
import { toNumber, toWord } from "../src/words.js";

test("words are the contract's names, both ways", () => {
  assert.equal(toNumber(MemoryKindSchema, "episodic", "kind"), 2);
  assert.equal(toWord(MemoryKindSchema, 2), "episodic");
  assert.equal(toWord(MemoryKindSchema, 99), "99");
});

test("a word that the contract lacks is refused with those it has", () => {
  assert.throws(() => toNumber(MemoryKindSchema, "dream", "memory.kind"), /memory\.kind: takes working, episodic/);
});

for (const value of [Number.NaN, Infinity, 2 ** 53, 10n as unknown as number]) {
  test(`metadata of ${String(value)} is refused with its place`, () => {
    assert.throws(
      () => toMemoryInput({ content: "x", metadata: { 计划: [1, { rank: value }] } }),
      (error: InvalidArgument) => error.fields[0]?.field === "memory.metadata.计划[1].rank",
    );
  });
}

test("an invalid Date and a negative time to live are refused", () => {
  assert.throws(() => toMemoryInput({ content: "x", eventTime: new Date("never") }), InvalidArgument);
  assert.throws(() => toMemoryInput({ content: "x", ttlSeconds: -1 }), InvalidArgument);
  assert.equal(toMemoryInput({ content: "x", ttlSeconds: 0.2 }).ttlSeconds, 1n);
});

test("an update names what is given, and null clears", () => {
  const { memory, mask } = toUpdate({ userId: "爱丽丝", expireTime: null, tags: undefined });
  assert.deepEqual(mask, ["user_id", "expire_time"]);
  assert.equal(memory.userId, "爱丽丝");
  assert.equal(memory.expireTime, undefined);
});

test("an empty filter is none, and one value stands for a list", () => {
  assert.equal(toFilter({}), undefined);
  assert.deepEqual(toFilter({ userIds: "alice" })?.userIds, ["alice"]);
  assert.deepEqual(toFilter({ metadata: where("plan", "tier").eq("pro") })?.metadata?.length, 1);
});

test("an error carries reason, fields and the time to wait", () => {
  const info = { desc: ErrorInfoSchema, value: { domain: "recalld.dev", reason: "MODEL_UNAVAILABLE", metadata: { a: "b" } } };
  const retry = { desc: RetryInfoSchema, value: { retryDelay: { seconds: 2n, nanos: 500_000_000 } } };
  const error = fromThrown(new ConnectError("later", Code.Unavailable, undefined, [info, retry]));
  assert.ok(error instanceof Unavailable);
  assert.deepEqual([error.reason, error.metadata, error.retryAfter], ["MODEL_UNAVAILABLE", { a: "b" }, 2.5]);
  const bad = { desc: BadRequestSchema, value: { fieldViolations: [{ field: "top_k", description: "too many" }] } };
  const refused = fromThrown(new ConnectError("no", Code.InvalidArgument, undefined, [bad])) as InvalidArgument;
  assert.deepEqual([refused.name, refused.reason], ["InvalidArgument", "INVALID_FIELD"]);
  assert.equal(refused.fields[0]?.field, "top_k");
});

test("another domain's reason is not taken for ours, and other things thrown are left alone", () => {
  const info = { desc: ErrorInfoSchema, value: { domain: "example.com", reason: "X", metadata: {} } };
  assert.equal((fromThrown(new ConnectError("no", Code.Internal, undefined, [info])) as RecalldError).reason, "");
  const other = new TypeError("mine");
  assert.equal(fromThrown(other), other);
});
