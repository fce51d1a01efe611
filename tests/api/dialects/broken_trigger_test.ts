/**
 * @module A trigger that names a table which is gone: its operator has to know of it, and it is no use that
 * callers try again.
 */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const service = sharedService({
  sqlite: {
    Odd: "CREATE TABLE note (text TEXT); CREATE TABLE gone (text TEXT); " +
      "CREATE TRIGGER copy AFTER INSERT ON note BEGIN INSERT INTO gone VALUES (NEW.text); END; DROP TABLE gone",
  },
});

Deno.test("a trigger that names a missing table is a fault, not a change of the tables", async () => {
  const write = async () => {
    const body = '{"text": "a"}';
    const headers = { "Content-Type": "application/json" };
    const answer = await service().fetch("/db/Odd/note.json", { method: "POST", body, headers });
    return [answer.status, answer.headers.get("retry-after"), (await answer.json()).description];
  };
  const [status, again, description] = await write();
  assert.deepEqual([status, again], [503, "2"]);
  assert.match(description, /tables have changed and are being read again/);
  const lacks =
    "The database lacks something that its own triggers, views or foreign keys name: its operator has to mend it";
  await until(async () => (await write())[2] === lacks);
  assert.deepEqual(await write(), [503, null, lacks]);
  assert.match(
    await service().log(),
    /WARN Database Odd: it does not serve all requests: .*no such table: main\.gone/,
  );
  assert.deepEqual(await (await service().fetch("/db/Odd/note.json")).json(), []);
});
