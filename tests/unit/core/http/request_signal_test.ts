import assert from "node:assert/strict";
import { createApp } from "@/core/http/app.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

/**
 * A request that tells whether its signal was asked for: a server makes it then,
 * for more than a small answer costs.
 */
function watchedRequest(path: string, init: RequestInit): { readonly request: Request; isAsked: boolean } {
  const watched = { request: new Request(`http://localhost${path}`, init), isAsked: false };
  const { signal } = watched.request;
  Object.defineProperty(watched.request, "signal", {
    get() {
      watched.isAsked = true;
      return signal;
    },
  });
  return watched;
}

const JSON_BODY = { "Content-Type": "application/json" };
const SMALL = [
  ["GET", "/db/Shop/Person/PersonId/1.json"],
  ["POST", "/db/Shop/Tag.json", '{"Text": "new"}'],
  ["PUT", "/db/Shop/Tag/Text/new.json", '{"Text": "newer"}'],
  ["DELETE", "/db/Shop/Tag/Text/newer.json"],
] as const;

/** A busy machine makes one slow now and then. */
const ATTEMPTS = 20;

Deno.test("small reads and writes that are quick leave the request's signal alone", async () => {
  await using shop = await InProcess.open();
  const app = createApp({ service: shop.service });
  const asking = new Set<string>(SMALL.map(([method]) => method));
  for (let attempt = 0; attempt < ATTEMPTS && asking.size > 0; attempt++) {
    for (const [method, path, body] of SMALL) {
      const init = { method, headers: JSON_BODY, ...(body === undefined ? {} : { body }) };
      const watched = watchedRequest(path, init);
      const answer = await app.fetch(watched.request, { peer: "127.0.0.1" });
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      if (!watched.isAsked) asking.delete(method);
    }
  }
  assert.deepEqual([...asking], []);
});
