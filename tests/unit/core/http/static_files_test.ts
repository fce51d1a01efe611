import assert from "node:assert/strict";
import { join } from "node:path";
import { ServiceError } from "@/core/errors.ts";
import { serveStatic } from "@/core/http/static_files.ts";
import { SILENT } from "@/core/storage/log.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";

const UNKNOWN = { log: SILENT };

/** A directory with a public folder, beside which a secret lies. */
function site(): TestDirectory {
  const directory = new TestDirectory({ "secret.txt": "hush" });
  Deno.mkdirSync(directory.file("public/sub"), { recursive: true });
  Deno.writeTextFileSync(directory.file("public/a b.css"), "b{}");
  Deno.writeTextFileSync(directory.file("public/sub/x.unknown"), "x");
  Deno.writeTextFileSync(directory.file("public/.hidden"), "hush");
  Deno.symlinkSync(directory.file("secret.txt"), directory.file("public/out.txt"));
  Deno.symlinkSync(directory.path, directory.file("public/up"));
  Deno.mkdirSync(directory.file("public2"));
  Deno.writeTextFileSync(directory.file("public2/secret.txt"), "hush");
  Deno.symlinkSync("../public2/secret.txt", directory.file("public/near.txt"));
  Deno.symlinkSync("a b.css", directory.file("public/in.css"));
  Deno.symlinkSync("loop", directory.file("public/loop"));
  return directory;
}

async function ask(
  { path: root }: TestDirectory,
  path: string,
  method = "GET",
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  try {
    const request = { method, headers: new Headers(headers), target: `/static/${path}`, ...UNKNOWN };
    const answer = await serveStatic(request, join(root, "public"));
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: error.status, headers: new Headers(error.headers), text: error.message };
  }
}

Deno.test("a file is served with its type and length, by its own name or by a link inside the directory", async () => {
  using directory = site();
  for (const path of ["a%20b.css", "in.css"]) {
    const { status, headers, text } = await ask(directory, path);
    assert.deepEqual([status, text], [200, "b{}"]);
    assert.equal(headers.get("content-type"), "text/css; charset=utf-8");
    assert.equal(headers.get("content-length"), "3");
  }
  const { headers } = await ask(directory, "sub/x.unknown");
  assert.equal(headers.get("content-type"), "application/octet-stream");
});

const NOT_THERE = [
  "",
  "missing.css",
  "sub",
  "sub/",
  ".hidden",
  "out.txt",
  "near.txt",
  "up/secret.txt",
  "../secret.txt",
  "%2e%2e/secret.txt",
  "..%2fsecret.txt",
  "sub/../../secret.txt",
  "..%5csecret.txt",
  "%2fetc%2fpasswd",
  "/etc/passwd",
  "a%20b.css/x",
  "a%00b",
  "%ff",
  "%",
  "loop",
  "x".repeat(5000),
];

Deno.test("nothing outside of the directory, hidden or no regular file is served", async () => {
  using directory = site();
  for (const path of NOT_THERE) {
    const { status, text } = await ask(directory, path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(text, /hush/);
  }
});

Deno.test("HEAD has no body, and a file that is known is not sent again", async () => {
  using directory = site();
  const head = await ask(directory, "in.css", "HEAD");
  assert.deepEqual([head.status, head.text, head.headers.get("content-length")], [200, "", "3"]);
  const etag = head.headers.get("etag") ?? "";
  const modified = head.headers.get("last-modified") ?? "";
  const statusWith = async (headers: Readonly<Record<string, string>>) =>
    (await ask(directory, "in.css", "GET", headers)).status;
  assert.equal(await statusWith({ "If-None-Match": `"x", W/${etag}` }), 304);
  assert.equal(await statusWith({ "If-None-Match": '"x"', "If-Modified-Since": modified }), 200);
  assert.equal(await statusWith({ "If-Modified-Since": modified }), 304);
  assert.equal(await statusWith({ "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT" }), 304);
  assert.equal(await statusWith({ "If-Modified-Since": "Mon, 01 Jan 2001 00:00:00 GMT" }), 200);
});

Deno.test({
  name: "attack: a client that takes nothing of a large file is cut off, and the file is closed",
  sanitizeResources: true,
  async fn() {
    using directory = site();
    Deno.writeFileSync(directory.file("public/large"), new Uint8Array(1_000_000));
    const request = { method: "GET", headers: new Headers(), target: "/static/large", ...UNKNOWN };
    const set = globalThis.setTimeout;
    globalThis.setTimeout = ((act: () => void) => set(act, 0)) as typeof setTimeout;
    try {
      const answer = await serveStatic(request, directory.file("public"));
      await new Promise((resolve) => set(resolve, 50));
      await assert.rejects(answer.bytes(), /The answer was cut off/);
    } finally {
      globalThis.setTimeout = set;
    }
  },
});
