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

/** The part of the document about configuration: resources, with the methods that a user may send. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  friend: ["GET /userdef", "GET PUT /userdef/{user_id}"],
  architect: [
    "GET /userdef",
    "GET PUT /userdef/{user_id}",
    "GET POST /dbdef",
    "GET PUT DELETE /dbdef/{db_id}",
    "GET POST /querydef",
    "GET /querydef/{query_id}",
    "GET /settings/reflect-status",
    "GET /settings/reflect-status/{db_id}",
    "POST /settings/check-database-connection",
    "POST /settings/check-query",
  ],
  admin: [
    "GET POST /userdef",
    "GET PUT DELETE /userdef/{user_id}",
    "GET POST /dbdef",
    "GET PUT DELETE /dbdef/{db_id}",
    "GET POST /querydef",
    "GET PUT DELETE /querydef/{query_id}",
    "GET /settings/reflect-status",
    "GET /settings/reflect-status/{db_id}",
    "POST /load-model/{db_id}",
    "POST /unload-model/{db_id}",
    "POST /settings/check-database-connection",
    "POST /settings/check-query",
    "GET /reqstatus",
    "GET /settings/plugins",
    "GET POST /license",
  ],
};

/** `GET POST /dbdef` as the names of two operations. */
function operationsNamed(line: string): readonly string[] {
  const words = line.split(" ");
  return words.slice(0, -1).map((method) => `${method} ${words.at(-1)}.json`);
}

for (const [login, lines] of Object.entries(PATHS)) {
  Deno.test(`the document of ${login} has what of the configuration they may use`, async () => {
    const names = operationsOf(await documentOf(login)).map(([name]) => name);
    assert.deepEqual(names.filter(isConfiguration), lines.flatMap(operationsNamed));
  });
}

Deno.test("what the document describes is what is answered", async () => {
  const document = await documentOf("admin");
  const ids: Readonly<Record<string, string>> = { user_id: "friend", db_id: "Demo", query_id: "by-country" };
  const operations = operationsOf(document).filter(([name]) =>
    name.startsWith("GET ") && isConfiguration(name)
  );
  assert.equal(operations.length, 11);
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

Deno.test("the document describes the values with which a query is tried", async () => {
  const document = await documentOf("architect");
  const operation = new Map(operationsOf(document)).get("POST /settings/check-query.json");
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  assert.ok(schema);
  const body = { database: "Demo", sqlstr: "SELECT :x AS x", arguments: { x: "1" } };
  assert.deepEqual(complaintsAbout(document, schema, body), []);
  const { status, text } = await send(service(), "architect", "POST /settings/check-query.json", body);
  assert.equal(status, 200, text);
});

Deno.test("the document has the refusals of what it describes: of a body where there is one, of a trial that takes too long", async () => {
  const operations = new Map(operationsOf(await documentOf("admin")));
  const statusesOf = (name: string) => Object.keys(operations.get(name)?.responses ?? {}).join();
  assert.equal(
    statusesOf("POST /settings/check-query.json"),
    "200,400,402,403,404,408,413,415,429,500,503,504",
  );
  assert.equal(statusesOf("GET /reqstatus.json"), "200,400,402,403,404,429,500,503");
});

Deno.test("no object of the document is described as one that has no members", async () => {
  const document = await documentOf("admin");
  const empty: string[] = [];
  const visit = (piece: unknown, place: string) => {
    if (typeof piece !== "object" || piece === null) return;
    const words = ["properties", "additionalProperties", "allOf"];
    const isEmpty = "type" in piece && piece.type === "object" && !words.some((word) => word in piece);
    if (isEmpty) empty.push(place);
    for (const [name, inner] of Object.entries(piece)) visit(inner, `${place}/${name}`);
  };
  visit(document, "");
  assert.deepEqual(empty, []);
});

Deno.test("the document has the parameter with which a licence is only looked at", async () => {
  const operation = new Map(operationsOf(await documentOf("admin"))).get("POST /license.json");
  assert.deepEqual(operation?.parameters, [{ $ref: "#/components/parameters/only-validate" }]);
});

Deno.test("the document says that a request needs a body", async () => {
  const bodies = operationsOf(await documentOf("admin")).flatMap(([name, { requestBody }]) =>
    requestBody ? [[name, requestBody.required] as const] : []
  );
  assert.ok(bodies.length > 5);
  assert.deepEqual(bodies.filter(([, required]) => required !== true), []);
});
