import assert from "node:assert/strict";
import { test } from "node:test";

import { ConfigurationError } from "../src/errors.js";
import { load } from "../src/settings.js";

test("arguments go before the environment, and that before the defaults", () => {
  const env = { RECALLD_ADDR: "localhost:6000", RECALLD_NAMESPACE: "team" };
  const settings = load({ addr: "127.0.0.1:7000" }, env);
  assert.deepEqual([settings.host, settings.port, settings.namespace], ["127.0.0.1", 7000, "team"]);
  assert.equal(load({}, {}).port, 50051);
});

test("an address may be IPv6, a name without a port, or a socket", () => {
  assert.deepEqual([load({ addr: "[::1]:9" }, {}).host, load({ addr: "::1" }, {}).port], ["::1", 50051]);
  assert.equal(load({ addr: "localhost" }, {}).port, 50051);
  assert.equal(load({ addr: "unix:/run/recalld.sock" }, {}).socketPath, "/run/recalld.sock");
});

for (const addr of ["http://localhost", "a b:1", "localhost:0", "localhost:70000", ""]) {
  test(`the address ${JSON.stringify(addr)} is refused`, () => {
    assert.throws(() => load({ addr }, {}), ConfigurationError);
  });
}

test("plain text does not leave this machine unless one says so", () => {
  assert.throws(() => load({ addr: "memory.example:50051" }, {}), /another machine/);
  assert.equal(load({ addr: "memory.example", insecure: true }, {}).tls, false);
  assert.equal(load({ addr: "memory.example" }, { RECALLD_TLS: "yes" }).tls, true);
});

test("a key that cannot be a header is refused without being shown", () => {
  assert.throws(
    () => load({ key: "rk_秘密 1" }, {}),
    (error: Error) => error instanceof ConfigurationError && !error.message.includes("秘密"),
  );
});

test("words for a switch that are none are refused", () => {
  assert.throws(() => load({}, { RECALLD_TLS: "maybe" }), /RECALLD_TLS/);
});
