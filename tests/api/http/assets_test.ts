import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const service = sharedService({ args: ["--base-url", "https://data.example.com/api/"] });

/** The addresses of the files that the list of databases loads. */
async function addresses(): Promise<readonly string[]> {
  const page = await (await service().fetch("/api/db.html")).text();
  return [...page.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, address = ""]) => address);
}

Deno.test("the files of a page are below the prefix, and kept for a year", async () => {
  const found = await addresses();
  assert.deepEqual(found.map((address) => address.replace(/[0-9a-f]{16}/, "…")), [
    "/api/assets/…/icon.svg",
    "/api/assets/…/page.css",
    "/api/assets/…/page.js",
  ]);
  for (const address of found) {
    const answer = await service().fetch(address);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.ok((await answer.text()).length > 100);
    const again = await service().fetch(address, {
      headers: { "If-None-Match": answer.headers.get("etag") ?? "" },
    });
    // A cache takes the headers of a 304 over.
    assert.deepEqual([again.status, again.headers.get("vary")], [304, answer.headers.get("vary")]);
  }
});

Deno.test("HEAD of a file has the headers of GET and no content", async () => {
  const [address = ""] = await addresses();
  const answer = await service().fetch(address, { method: "HEAD" });
  assert.deepEqual([answer.status, answer.headers.get("content-type"), await answer.text()], [
    200,
    "image/svg+xml",
    "",
  ]);
});

for (
  const path of [
    "/assets/0000000000000000/page.css",
    "/assets/x/..%2f..%2fmod.ts",
    "/assets/undefined/page.css",
    "/assets/x",
  ]
) {
  Deno.test(`${path} is not found`, async () => {
    assert.equal(await statusOf(service().fetch(path)), 404);
  });
}

Deno.test("files of pages cannot be written", async () => {
  const [address = ""] = await addresses();
  assert.equal(await statusOf(service().fetch(address, { method: "PUT", body: "x" })), 405);
});
