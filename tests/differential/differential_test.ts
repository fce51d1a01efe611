/**
 * The same request means the same on every engine: random requests and scripts, sent to a service on each. Other ones are tried
 * with another `ROWHOUSE_TEST_SEED`.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "@/tests/random.ts";
import { compare, difference, Tags } from "./compare.ts";
import { type Excuse, READING, WRITING } from "./excuses.ts";
import { readFacts } from "./facts.ts";
import { availableDialects, type Mirrors, openMirrors } from "./mirrors.ts";
import { play } from "./play.ts";
import { readRequests } from "./read_requests.ts";
import { dump, scripts } from "./scripts.ts";

const REQUESTS = 2500;
const SCRIPTS = 60;

const dialects = availableDialects();
const facts = readFacts();
let opened: Mirrors | undefined;

Deno.test.beforeAll(async () => {
  if (dialects.length > 1) opened = await openMirrors(dialects);
});
Deno.test.afterAll(async () => await opened?.[Symbol.asyncDispose]());

test("a request that reads has the same answer", async ({ list: mirrors }) => {
  const tags = new Tags();
  await fc.assert(
    fc.asyncProperty(readRequests(facts), async (request) => {
      const found = await difference(request, { mirrors, tags, excuses: READING });
      if (found !== undefined) throw new Error(found);
    }),
    { numRuns: REQUESTS },
  );
});

test("a script that writes has the same answers and leaves the same records", async (mirrors) => {
  await fc.assert(
    fc.asyncProperty(scripts(facts), async (script) => {
      await mirrors.reset();
      const found = await play([...script, ...dump(facts)], { mirrors: mirrors.list, excuses: WRITING });
      if (found !== undefined) throw new Error(found);
    }),
    { numRuns: SCRIPTS },
  );
});

for (const { reason, examples, dialects: excused } of READING) {
  test(`a difference is there: ${reason}`, async ({ list }) => {
    const mirrors = list.filter(({ dialect }) => dialect === "sqlite" || excused.includes(dialect));
    for (const target of examples) {
      const ask = (excuses: readonly Excuse[]) =>
        difference({ method: "GET", target }, { mirrors, tags: new Tags(), excuses });
      assert.equal(await ask(READING), undefined, target);
      if (mirrors.length > 1) assert.notEqual(await ask([]), undefined, `${target} needs no excuse`);
    }
  });
}

Deno.test("answers that differ are told with the request, from where they do", () => {
  const said = (dialect: "sqlite" | "mysql", text: string, tag: string | null = null) => ({
    dialect,
    text,
    tag,
  });
  const request = { method: "GET", target: "/db/Mirror/Thing.json" };
  const same = [
    said("sqlite", "HTTP/1.1 200 OK\n\n[]", '"a"'),
    said("mysql", "HTTP/1.1 200 OK\n\n[]", '"x"'),
  ];
  const tags = new Tags();
  assert.equal(compare(request, same, { tags, excuses: [] }), undefined);
  assert.equal(
    compare(
      request,
      [said("sqlite", "HTTP/1.1 200 OK\n\n[1]"), said("mysql", "HTTP/1.1 404 Not Found\n\n")],
      {
        ...{ tags, excuses: [] },
      },
    ),
    "The engines answer otherwise:\nGET /db/Mirror/Thing.json\n" +
      "--- sqlite: HTTP/1.1 200 OK\nHTTP/1.1 200 OK\n\n[1]\n--- mysql: HTTP/1.1 404 Not Found\nHTTP/1.1 404 Not Found\n\n",
  );
  const tagged = [said("sqlite", "", '"a"'), said("mysql", "", '"y"')];
  assert.match(compare(request, tagged, { tags, excuses: [] }) ?? "", /ETag: "a"\n.*\n\nETag: "y"/s);
});

/** Registers a test that is ignored where SQLite is the only engine. */
function test(name: string, fn: (mirrors: Mirrors) => Promise<void>): void {
  const reason = dialects.length > 1 ? "" : " (no database server is installed)";
  Deno.test({
    name: `${dialects.join(", ")}: ${name}${reason}`,
    ignore: dialects.length < 2,
    fn: async () => {
      if (!opened) throw new Error("The mirrors are open only while tests run");
      await fn(opened);
    },
  });
}
