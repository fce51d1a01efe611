/** @module Names that differ only by a character and the sequence that stands for it in URLs. */

import assert from "node:assert/strict";
import { startService } from "@/tests/support/service.ts";

const TABLES = ["a/b", "a__b", "a.b", "a_dotb"];
const KEYS = ["x/y", "x__y", "x.y", "x_doty"];

const quoted = (name: string) => `"${name}"`;

/** Every column has the value of another record's key. */
function twins(): string {
  return TABLES.map((table, at) => {
    const columns = KEYS.map((key, index) => `${quoted(key)} TEXT${index === at ? " PRIMARY KEY" : ""}`);
    const rows = [0, 1, 2, 3].map((record) => {
      const values = KEYS.map((_, index) => `'${(record + index - at + 4) % 4}'`);
      return `INSERT INTO ${quoted(table)} VALUES (${values.join()}, '${table} ${record}');`;
    });
    return `CREATE TABLE ${quoted(table)} (${columns.join()}, name TEXT);${rows.join("")}`;
  }).join("");
}

Deno.test("references lead to the table and the key that is meant, whatever stands beside it", async () => {
  await using service = await startService({
    sqlite: { Twins: twins() },
  });
  const get = async (path: string) => await (await service.fetch(path)).json();
  const { Twins }: { Twins: Record<string, { __href: string }> } = await get("/db/Twins.json");
  const seen: string[] = [];
  for (const table of TABLES) {
    const records: { __href: string; name: string }[] = await get(Twins[table]?.__href ?? "");
    for (const record of records) {
      assert.deepEqual(await get(record.__href), record);
      seen.push(record.name);
      const headers = { "Content-Type": "application/json" };
      const init = { method: "PUT", headers, body: JSON.stringify({ name: `${record.name}!` }) };
      assert.equal((await service.fetch(record.__href, init)).status, 204);
      assert.equal((await get(record.__href)).name, `${record.name}!`);
    }
  }
  assert.deepEqual(
    seen.toSorted(),
    TABLES.flatMap((table) => [0, 1, 2, 3].map((at) => `${table} ${at}`)).toSorted(),
  );
});
