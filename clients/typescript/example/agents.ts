/** Two agents share what they learn. Run it beside a server: RECALLD_ADDR and RECALLD_KEY say where it is. */

import { Client } from "../src/index.js";

const client = new Client();
const team = client.namespace(process.env["RECALLD_NAMESPACE"] ?? "default");

// The first agent learns something …
const learned = await team.write("The atlas deploy needs the migration first.", { kind: "procedural", tags: ["deploy"] });
console.log(`${learned.outcome} ${learned.memoryId}`);
await team.write("爱丽丝对花生过敏。", { userId: "alice" });

// … and the second finds it.
for (const hit of await team.search("what must run before the atlas deploy?", { topK: 3 })) {
  console.log(`${hit.score.toFixed(2)} ${hit.content}`);
}
console.log((await team.context("What should I cook for Alice?", { maxTokens: 200 })).text);
client.close();
