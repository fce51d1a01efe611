import assert from "node:assert/strict";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import type { TestService } from "@/tests/support/service.ts";
import {
  complaintsAbout,
  credentials,
  describedAnswer,
  examplePath,
  type OpenApi,
  type Operation,
  operationsOf,
  readDocument,
} from "./document.ts";
import { KEYS, startOpenApiService } from "./service.ts";

/** Tries writes of every kind with the document's own examples; the written values do not matter. */
const WRITING = new Set(["POST", "PUT", "DELETE"]);

for (const login of ["editor", "clerk"] as const) {
  Deno.test(`every path of the document of ${login} answers as described`, async () => {
    await using service = await startOpenApiService();
    const document = await readDocument(service, KEYS[login]);
    const fetchJson = async (path: string) => {
      return await (await service.fetch(path, { headers: credentials(KEYS[login]) })).json();
    };
    const statuses = new Map<string, number>();
    // Definitions, credentials and values are no records: config_resources and tests below try them.
    const operations = operationsOf(document).filter(([name]) =>
      !/\{(user|db|query)_id\}|POST \/(login|query\/since)/.test(name)
    )
      .toSorted(([a], [b]) => order(a) - order(b));
    for (const [name, operation] of operations) {
      const [method = "", template = ""] = name.split(/ (.*)/);
      const path = await examplePath(document, template, fetchJson);
      if (path === undefined) continue;
      const complaints = await tryOperation(service, { document, operation, method, path, login, statuses });
      assert.deepEqual(complaints, [], `${name}: ${path}`);
    }
    const counts = Object.groupBy(statuses.values(), String);
    assert.deepEqual(Object.keys(counts).filter((status) => Number(status) >= 500), []);
    assert.equal((counts["200"]?.length ?? 0) > 10, true);
    assert.equal(
      statuses.size > operations.length * 0.9,
      true,
      "most operations have a record to be tried on",
    );
  });
}

Deno.test("no switch of an operation gives its answer a form that is not described", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service, KEYS.editor);
  const headers = credentials(KEYS.editor);
  const fetchJson = async (path: string) => await (await service.fetch(path, { headers })).json();
  const switches = Object.values(document.components["parameters"] ?? {}).flatMap((parameter) => {
    const { name, schema } = parameter as { name: string; schema: { type?: string } };
    return schema.type === "boolean" ? [name] : [];
  });
  let tried = 0;
  for (const [operationName, operation] of operationsOf(document)) {
    const [method = "", template = ""] = operationName.split(/ (.*)/);
    if (method !== "GET") continue;
    const path = await examplePath(document, template, fetchJson);
    for (const name of switches) {
      const isListed = JSON.stringify(operation.parameters ?? []).includes(`parameters/${name}"`);
      if (path === undefined || !isListed) continue;
      const response = await service.fetch(`${path}?${name}=true`, { headers, redirect: "follow" });
      const answer = await response.json();
      const described = describedAnswer(document, operation, response.status);
      const schema = described?.content?.["application/json"]?.schema;
      assert.ok(schema, `${path}?${name}: ${response.status}`);
      assert.deepEqual(complaintsAbout(document, schema, answer), [], `${path}?${name}`);
      tried++;
    }
  }
  assert.ok(tried > 50, `${tried} requests`);
});

/** Reading first, deleting last. */
function order(name: string): number {
  return ["GET", "PUT", "POST", "DELETE"].findIndex((method) => name.startsWith(`${method} `));
}

interface Attempt {
  readonly document: OpenApi;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly login: keyof typeof KEYS;
  readonly statuses: Map<string, number>;
}

async function tryOperation(service: TestService, attempt: Attempt): Promise<readonly string[]> {
  const { document, operation, method, path, login, statuses } = attempt;
  const body = WRITING.has(method) && operation.requestBody ? exampleBody(document, operation) : undefined;
  const response = await service.fetch(path, {
    method,
    headers: {
      ...credentials(KEYS[login]),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  statuses.set(`${method} ${path}`, response.status);
  const described = describedAnswer(document, operation, response.status);
  if (!described) return [`status ${response.status} is not described: ${text}`];
  const type = response.headers.get("content-type")?.replace(/;.*/, "");
  if (text === "" || type === undefined) return described.content ? ["there is no content"] : [];
  const schema = described.content?.[type]?.schema;
  if (!schema) return [`content type ${type} is not described`];
  return type === "application/json" ? complaintsAbout(document, schema, JSON.parse(text)) : [];
}

Deno.test("a text in the path of a query says which characters of it have a meaning", async () => {
  await using service = await startOpenApiService();
  const { paths } = await readDocument(service);
  const [year] = paths["/query/bookings-by-year/year/{year}.json"]?.get?.parameters ?? [];
  assert.match(JSON.stringify(year), /`__`, `_dot` and `<null>` in it have a meaning/);
});

Deno.test("a query has values of its types as examples, and takes a body of every type that it names", async () => {
  await using service = await startOpenApiService();
  const { paths } = await readDocument(service, KEYS.editor);
  const headers = credentials(KEYS.editor);
  const template = "/query/since/since/{since}/most/{most}.json";
  const parameters = (paths[template]?.get?.parameters ?? []) as readonly {
    name?: string;
    example?: unknown;
  }[];
  const path = parameters.reduce((text, { name, example }) => {
    return name === undefined ? text : text.replace(`{${name}}`, String(example));
  }, template);
  assert.equal(path, "/query/since/since/2009-12-31T23:59:59/most/1.json");
  const bookings = await (await service.fetch(path, { headers })).json();
  assert.equal(bookings.length, 1);
  const types = Object.keys(paths["/query/since.json"]?.post?.requestBody?.content ?? {});
  assert.deepEqual(types, Object.keys(paths["/db/Demo/Port.json"]?.post?.requestBody?.content ?? {}));
  const csv = await service.fetch("/query/since.json", {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: "since,most\n2009-12-31,1\n",
  });
  assert.deepEqual([types.includes("text/csv"), await csv.json()], [true, bookings]);
});

Deno.test("a query that may change something has no parameters of lists", async () => {
  await using service = await startOpenApiService();
  const operations = new Map(operationsOf(await readDocument(service, KEYS.editor)));
  const parametersOf = (name: string) => JSON.stringify(operations.get(name)?.parameters ?? []);
  assert.match(parametersOf("GET /query/ports.json"), /parameters\/limit"/);
  assert.equal(parametersOf("GET /query/touch.json"), "[]");
  const headers = credentials(KEYS.editor);
  assert.equal((await service.fetch("/query/touch.json?limit=1", { headers })).status, 400);
});

Deno.test("a query that may change something may have no rows to show, and one that reads refuses no body", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service, KEYS.editor);
  const operations = new Map(operationsOf(document));
  const touch = operations.get("POST /query/touch.json") ?? assert.fail();
  assert.ok(describedAnswer(document, touch, 204)?.headers?.["Warning"]);
  const ports = operations.get("GET /query/ports.json") ?? assert.fail();
  assert.equal(Object.keys(ports.responses).join(), "200,302,400,402,403,404,429,500,503,504");
});

Deno.test("each answer has the id of its request, and licences and slow bodies are described where they count", async () => {
  await using service = await startOpenApiService();
  for (const login of [undefined, "editor", "clerk"] as const) {
    const document = await readDocument(service, login && KEYS[login]);
    for (const [name, operation] of operationsOf(document)) {
      const statuses = Object.keys(operation.responses);
      for (const status of statuses) {
        const answer = describedAnswer(document, operation, Number(status));
        assert.ok(answer?.headers?.["X-Request-Id"], `${name} ${status}`);
      }
      const isLimited = !/^(GET|POST) \/(logout|healthz|readyz|metrics)$|^GET \/login$/.test(name);
      assert.equal(statuses.includes("402"), isLimited, name);
      assert.equal(statuses.includes("408"), statuses.includes("413"), name);
    }
  }
});

Deno.test("the login and the logout answer as described", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service);
  const cases = [
    ["POST /login", { login: "idler", password: "secret-password" }, 200],
    ["POST /login", { login: "idler", password: "wrong" }, 403],
    ["POST /login", { login: "idler" }, 400],
    ["GET /logout", undefined, 200],
    ["POST /logout", undefined, 200],
  ] as const;
  for (const [name, body, status] of cases) {
    const [method = "", path = ""] = name.split(" ");
    const response = await service.fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      body: body ? JSON.stringify(body) : null,
    });
    assert.equal(response.status, status, name);
    const operation = new Map(operationsOf(document)).get(name);
    assert.ok(operation);
    const schema = describedAnswer(document, operation, status)?.content?.["application/json"]?.schema;
    assert.ok(schema, `${name} ${status}`);
    assert.deepEqual(complaintsAbout(document, schema, await response.json()), []);
  }
  assert.deepEqual(new Map(operationsOf(document)).get("POST /login")?.security, []);
});

Deno.test("a login that no method answers is not described", async () => {
  const auth = "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n";
  await using service = await startOpenApiService({ auth });
  const names = operationsOf(await readDocument(service)).map(([name]) => name);
  assert.deepEqual(names.filter((name) => /log(in|out)/.test(name)), ["GET /login"]);
});

Deno.test("the login page is described only where a format has pages", async () => {
  await using service = await startOpenApiService({ settings: "formats = json,csv" });
  const names = operationsOf(await readDocument(service)).map(([name]) => name);
  const { status, body } = await service.fetch("/login");
  await body?.cancel();
  assert.deepEqual([names.includes("GET /login"), names.includes("POST /login"), status], [false, true, 404]);
});

/** The example of the columns to write that the body's schema leads to. */
function exampleBody(document: OpenApi, { requestBody }: Operation): string {
  const schema = JSON.stringify(requestBody?.content["application/json"]?.schema);
  const [, name = ""] = /#\/components\/schemas\/([^"]+?)(?:\.new|\.values)"/.exec(schema) ?? [];
  const values = document.components["schemas"]?.[`${name}.values`] as {
    readonly examples: readonly unknown[];
  };
  return JSON.stringify(values.examples[0]);
}

Deno.test("another format than JSON, another method and another path are refused with a sentence", async () => {
  await using service = await startOpenApiService();
  const cases: readonly (readonly [string, RequestInit, number, string])[] = [
    ["/openapi.xml", {}, 400, "Cannot describe the API in format xml: it is there as JSON, /openapi.json"],
    [
      "/openapi/Demo.xsd",
      {},
      400,
      "Cannot describe the API in format xsd: it is there as JSON, /openapi.json",
    ],
    [
      "/openapi.html?schema",
      {},
      400,
      "Cannot describe the API in format html: it is there as JSON, /openapi.json",
    ],
    [
      "/openapi",
      { headers: { accept: "text/csv" } },
      406,
      "Cannot describe the API in format csv: it is there as JSON, /openapi.json",
    ],
    ["/openapi.json", { method: "POST" }, 405, "Cannot POST this resource: use GET, HEAD, OPTIONS"],
    [
      "/openapi/Demo/Port.json",
      {},
      404,
      'Cannot find "/openapi/Demo/Port": nothing is below /openapi/{db_id}',
    ],
    ["/openapi/Dem.json", {}, 404, 'Cannot find database "Dem"; the nearest is "Demo"'],
    [
      "/openapi/Vault.json",
      {},
      403,
      'User "public" has no login for database "Vault": log in, or resend with a valid API key',
    ],
    [
      "/openapi/Offline.json",
      { headers: { apikey: KEYS.editor } },
      503,
      'Database "Offline" is disconnected: try again later',
    ],
  ];
  for (const [path, init, status, description] of cases) {
    const response = await service.fetch(path, init);
    await response.body?.cancel();
    assert.deepEqual([path, response.status, response.headers.get("warning")], [path, status, description]);
  }
});

Deno.test("HEAD, OPTIONS and negotiation work as on every resource", async () => {
  await using service = await startOpenApiService();
  const head = await service.fetch("/openapi.json", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-type"), await head.text()], [
    200,
    "application/json",
    "",
  ]);
  for (const path of ["/openapi.xml", "/openapi/Demo.json", "/openapi/Demo.html", "/openapi/Demo.xsd"]) {
    const options = await service.fetch(path, { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"], path);
  }
  for (const path of ["/openapi", "/openapi/", "/openapi/Demo", "/openapi/Demo/"]) {
    assert.equal((await readDocument(service, undefined, path)).openapi, "3.1.0");
  }
});

Deno.test("the document fits its own schema", async () => {
  await using service = await startOpenApiService();
  for (const path of ["/openapi.json", "/openapi/Demo.json"]) {
    const schema = await (await service.fetch(`${path}?schema`)).text();
    assertFits(schema, [await (await service.fetch(path)).text()]);
  }
});
