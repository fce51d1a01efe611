/** @module Related records that are read once and printed many times: every answer has a bound. */

import assert from "node:assert/strict";
import { fixtureOf, TEST_DIALECTS, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { mostMemory, startProcess, type TestProcess } from "@/tests/support/process.ts";
import { statusOf } from "@/tests/support/status_of.ts";

/** Records that one answer prints. */
const MOST = 50_000;
/** A refusal names the number of records, and a relation. */
const REFUSED =
  /^Cannot put (?:more than )?(\d+) records into one answer, 50000 at most: leave out "[\w/]+" with a smaller depth, or use a smaller limit$/;
/** Depths are allowed up to this one. */
const DEEPEST = 5;
/** The least depth that is too much for a table. Other tables allow every depth. */
const TOO_DEEP: Readonly<Record<string, number>> = {
  Film: 5,
  FilmActor: 5,
  City: 5,
  Address: 4,
  Store: 4,
  Staff: 4,
  Customer: 4,
  Inventory: 4,
  Rental: 3,
  Payment: 3,
};
/** The other formats, which do not depend on the engine. Absent: the status of JSON. */
const FORMATS: readonly (readonly [string, number?])[] = [["xml"], ["html"], ["csv", 400], ["txt", 400]];
const MOST_MEGABYTES = 600;

function start(dialect: TestDialect): Promise<TestProcess> {
  return serveOn(dialect, { id: "Rental", made: "rental" }, startProcess);
}

/** Objects that are more than a reference. */
function countRecords(json: unknown): number {
  if (Array.isArray(json)) return json.reduce((sum: number, each) => sum + countRecords(each), 0);
  if (typeof json !== "object" || json === null) return 0;
  const values = Object.values(json);
  return (values.length > 1 ? 1 : 0) + values.reduce((sum: number, each) => sum + countRecords(each), 0);
}

/** Asserts few enough records, or a refusal with their number; returns the status. */
async function check(service: TestProcess, path: string): Promise<number> {
  const answer = await service.fetch(path);
  const json = await answer.json();
  if (answer.status === 200) assert.ok(countRecords(json) <= MOST, path);
  else assert.ok(isRefusal(json.description), `${path}: ${json.description}`);
  return answer.status;
}

function isRefusal(description: string): boolean {
  return description.startsWith("Cannot expand more than 100 relations") ||
    Number(REFUSED.exec(description)?.[1]) >= MOST;
}

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "related records are printed up to a bound, from every table in every depth", async () => {
    await using service = await start(dialect);
    for (const { name } of fixtureOf("rental").tables) {
      const tooDeep = TOO_DEEP[name] ?? DEEPEST + 1;
      for (let depth = 1; depth <= DEEPEST; depth++) {
        const isAtBound = depth === tooDeep || depth === tooDeep - 1;
        // The bound is the same on every engine: others than SQLite are asked on both sides of it.
        if (dialect !== "sqlite" && !isAtBound) continue;
        const path = (format: string) => `/db/Rental/${name}.${format}?depth=${depth}&limit=1000`;
        const status = depth < tooDeep ? 200 : 400;
        assert.equal(await check(service, path("json")), status, path("json"));
        for (const [format, expected] of dialect === "sqlite" && isAtBound ? FORMATS : []) {
          assert.equal(await statusOf(service.fetch(path(format))), expected ?? status, path(format));
        }
      }
    }
    assert.ok(mostMemory(service) < MOST_MEGABYTES, `It took ${mostMemory(service)} MB`);
  }, { ignore: Deno.build.os !== "linux" });
}
