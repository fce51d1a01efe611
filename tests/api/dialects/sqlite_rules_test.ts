/** @module Values that functions in views, indexes, checks and triggers of SQLite refuse. */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService({
  sqlite: {
    Odd: `
CREATE TABLE note (id INTEGER PRIMARY KEY, doc TEXT, count INT);
CREATE VIEW name AS SELECT id, json_extract(doc, '$.name') AS name FROM note;
CREATE VIEW total AS SELECT sum(count) AS count FROM note;
INSERT INTO note VALUES (1, '{oops', 9223372036854775807), (2, '{}', 1);
CREATE TABLE indexed (id INTEGER PRIMARY KEY, doc TEXT);
CREATE INDEX indexed_name ON indexed (json_extract(doc, '$.name'));
INSERT INTO indexed VALUES (1, '{}');
CREATE TABLE computed (id INTEGER PRIMARY KEY, doc TEXT, name AS (json_extract(doc, '$.name')) STORED);
CREATE TABLE checked (id INTEGER PRIMARY KEY, doc TEXT CHECK (json_extract(doc, '$.name') <> 'x'));
CREATE TABLE watched (id INTEGER PRIMARY KEY, doc TEXT);
CREATE TRIGGER watch BEFORE INSERT ON watched BEGIN SELECT json_extract(NEW.doc, '$.name'); END;
`,
  },
});

const OOPS = { id: 5, doc: "{oops" };

const REFUSED: readonly (readonly [line: string, body: unknown, words: string])[] = [
  ["GET name", undefined, "malformed JSON"],
  ["GET name/name/x", undefined, "malformed JSON"],
  ["GET total", undefined, "integer overflow"],
  ["POST indexed", OOPS, "malformed JSON"],
  ["PUT indexed/id/1", { doc: "{oops" }, "malformed JSON"],
  ["POST computed", OOPS, "malformed JSON"],
  ["POST checked", OOPS, "malformed JSON"],
  ["POST watched", OOPS, "malformed JSON"],
  ["POST watched", [{ id: 6, doc: "{}" }, OOPS], "malformed JSON"],
];

for (const [line, body, words] of REFUSED) {
  Deno.test(`sqlite: ${line} ${JSON.stringify(body) ?? ""} is refused with the engine's words`, async () => {
    const [method = "", path = ""] = line.split(" ");
    const headers = { "Content-Type": "application/json" };
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const answer = await service().fetch(`/db/Odd/${path}.json`, { method, ...init });
    const { description } = await answer.json();
    assert.deepEqual([answer.status, description], [400, `The database cannot take this: ${words}`]);
  });
}
