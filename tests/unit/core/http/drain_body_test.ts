import assert from "node:assert/strict";
import { drainBody } from "@/core/http/drain_body.ts";

Deno.test("other requests run while the rest of a body comes in a thousand pieces", async () => {
  const ran = Promise.withResolvers<string>();
  setTimeout(() => ran.resolve("another request"), 0);
  const body = ReadableStream.from(Array.from({ length: 1000 }, () => new Uint8Array(1)));
  const drained = drainBody(new Request("http://localhost/", { method: "POST", body }))?.then(() =>
    "the body"
  );
  assert.equal(await Promise.race([ran.promise, drained]), "another request");
  assert.equal(await drained, "the body");
});
