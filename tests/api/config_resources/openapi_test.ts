import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import {
  complaintsAbout,
  describedAnswer,
  type OpenApi,
  operationsOf,
} from "@/tests/api/openapi/document.ts";
import { send, START } from "./people.ts";

const service = sharedService(START);

const documentOf = async (login: string): Promise<OpenApi> =>
  JSON.parse((await send(service(), login, "GET /openapi.json")).text);

const isConfiguration = (name: string) =>
  !/ \/(db[./]|query[./]|openapi|log(in|out)$|settings\.json|version|healthz|$)/.test(name);

const PATHS: readonly (readonly [login: string, paths: readonly string[]])[] = [
  ["friend", ["GET /userdef.json", "GET /userdef/{user_id}.json", "PUT /userdef/{user_id}.json"]],
  ["architect", [
    "GET /userdef.json",
    "GET /userdef/{user_id}.json",
    "PUT /userdef/{user_id}.json",
    "GET /dbdef.json",
    "POST /dbdef.json",
    "GET /dbdef/{db_id}.json",
    "PUT /dbdef/{db_id}.json",
    "DELETE /dbdef/{db_id}.json",
    "GET /querydef.json",
    "POST /querydef.json",
    "GET /querydef/{query_id}.json",
    "GET /settings/reflect-status.json",
    "GET /settings/reflect-status/{db_id}.json",
    "POST /settings/check-database-connection.json",
    "POST /settings/check-query.json",
  ]],
  ["admin", [
    "GET /userdef.json",
    "POST /userdef.json",
    "GET /userdef/{user_id}.json",
    "PUT /userdef/{user_id}.json",
    "DELETE /userdef/{user_id}.json",
    "GET /dbdef.json",
    "POST /dbdef.json",
    "GET /dbdef/{db_id}.json",
    "PUT /dbdef/{db_id}.json",
    "DELETE /dbdef/{db_id}.json",
    "GET /querydef.json",
    "POST /querydef.json",
    "GET /querydef/{query_id}.json",
    "PUT /querydef/{query_id}.json",
    "DELETE /querydef/{query_id}.json",
    "GET /settings/reflect-status.json",
    "GET /settings/reflect-status/{db_id}.json",
    "POST /load-model/{db_id}.json",
    "POST /unload-model/{db_id}.json",
    "POST /settings/check-database-connection.json",
    "POST /settings/check-query.json",
    "GET /reqstatus.json",
    "GET /license.json",
    "POST /license.json",
  ]],
];

for (const [login, paths] of PATHS) {
  Deno.test(`the document of ${login} has what of the configuration they may use`, async () => {
    const names = operationsOf(await documentOf(login)).map(([name]) => name);
    assert.deepEqual(names.filter(isConfiguration), paths);
  });
}

Deno.test("what the document describes is what is answered", async () => {
  const document = await documentOf("admin");
  const ids: Readonly<Record<string, string>> = { user_id: "friend", db_id: "Demo", query_id: "by-country" };
  const operations = operationsOf(document).filter(([name]) =>
    name.startsWith("GET ") && isConfiguration(name)
  );
  assert.equal(operations.length, 10);
  for (const [name, operation] of operations) {
    const { status, text } = await send(
      service(),
      "admin",
      name.replace(/\{(\w+)\}/, (_, id) => ids[id] ?? ""),
    );
    const schema = describedAnswer(document, operation, status)?.content?.["application/json"]?.schema;
    assert.ok(schema, name);
    assert.deepEqual(complaintsAbout(document, schema, JSON.parse(text)), [], name);
  }
});

Deno.test("the root leads to what the caller may use", async () => {
  const names = async (login: string) =>
    Object.keys(JSON.parse((await send(service(), login, "GET /.json")).text));
  assert.deepEqual(await names("friend"), ["db", "settings", "userdef"], "a friend sees another account");
  assert.deepEqual(await names("reader"), ["db", "query", "settings", "dbdef", "querydef"]);
  assert.deepEqual(await names("admin"), [
    "db",
    "settings",
    "dbdef",
    "license",
    "querydef",
    "reqstatus",
    "userdef",
  ]);
});
