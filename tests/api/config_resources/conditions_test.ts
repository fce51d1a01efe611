import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { key, START } from "./people.ts";

const QUERY = `new-amenity:
  database: Demo
  sqlstr: "INSERT INTO Amenity (Name) VALUES ('Planetarium')"
  http_methods: {POST: true}
  execute: [architect]
`;
const service = sharedService({ ...START, files: { ...START.files, "config/querydefs.cfg": QUERY } });

const CHANGES: readonly (readonly [login: string, line: string, body?: unknown])[] = [
  ["admin", "PUT /userdef/reader.json", { name: "Somebody" }],
  ["admin", "DELETE /querydef/new-amenity.json"],
  ["admin", "POST /unload-model/Demo.json"],
  ["architect", "POST /db/Demo/Amenity.json", { Name: "Planetarium" }],
  ["architect", "POST /query/new-amenity.json"],
];

for (const [login, line, body] of CHANGES) {
  for (const name of ["If-Match", "If-None-Match"]) {
    Deno.test(`${line} with ${name} is 400, because nobody would check the condition`, async () => {
      const [method = "", path = ""] = line.split(" ");
      const headers = { apikey: key(login), "Content-Type": "application/json", [name]: '"another"' };
      const sent = body === undefined ? null : JSON.stringify(body);
      const answer = await service().fetch(path, { method, headers, body: sent });
      await answer.body?.cancel();
      assert.deepEqual([answer.status, answer.headers.get("warning")], [
        400,
        `Cannot use ${name} here: it is for single records, found by their key`,
      ]);
    });
  }
}

Deno.test("changes with a condition that nobody checks have changed nothing", async () => {
  const get = async (path: string, login = "admin") => {
    return await (await service().fetch(path, { headers: { apikey: key(login) } })).json();
  };
  assert.equal((await get("/userdef/reader.json")).name, "Reader");
  assert.equal((await get("/querydef/new-amenity.json")).query_id, "new-amenity");
  assert.deepEqual(await get("/db/Demo/Amenity/Name/Planetarium.json", "architect"), []);
  assert.equal((await get("/settings/reflect-status/Demo.json")).model, "Connected");
});
