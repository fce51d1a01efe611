import assert from "node:assert/strict";
import { credentials, operationsOf, readDocument } from "./document.ts";
import { startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { KEYS, startOpenApiService } from "./service.ts";

const SERVICE_PATHS = [
  "GET /login",
  "POST /login",
  "GET /logout",
  "POST /logout",
  "GET /",
  "GET /db.json",
  "GET /openapi.json",
  "GET /query.json",
  "GET /settings.json",
  "GET /version.txt",
  "GET /healthz",
];

/** The sample's query, which every user with a mapping to its database may run. */
const QUERY = "GET /query/bookings-by-year/year/{year}.json";

Deno.test("a narrowed user finds exactly the tables and methods of its access", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service, KEYS.clerk);
  assert.deepEqual(operationsOf(document).map(([name]) => name), [
    ...SERVICE_PATHS,
    QUERY,
    "GET /userdef.json",
    "GET /userdef/{user_id}.json",
    "PUT /userdef/{user_id}.json",
    "GET /settings/reflect-status.json",
    "GET /settings/reflect-status/{db_id}.json",
    "GET /db/Demo.json",
    "GET /openapi/Demo.json",
    "GET /db/Demo/Country.json",
    "GET /db/Demo/Country/CountryCode/{CountryCode}.json",
    "GET /db/Demo/Country/{column}/{value}.json",
    "GET /db/Demo/Country/CountryCode/{CountryCode}/Port.json",
    "GET /db/Demo/Port.json",
    "GET /db/Demo/Port/PortId/{PortId}.json",
    "PUT /db/Demo/Port/PortId/{PortId}.json",
    "GET /db/Demo/Port/{column}/{value}.json",
    "GET /db/Demo/Port/PortId/{PortId}/Country.json",
    "GET /db/Demo/Port/PortId/{PortId}/Vessel.json",
    "POST /db/Demo/Port/PortId/{PortId}/Vessel.json",
    "GET /db/Demo/Vessel.json",
    "POST /db/Demo/Vessel.json",
    "GET /db/Demo/Vessel/VesselId/{VesselId}.json",
    "DELETE /db/Demo/Vessel/VesselId/{VesselId}.json",
    "GET /db/Demo/Vessel/{column}/{value}.json",
    "GET /db/Demo/Vessel/VesselId/{VesselId}/Port.json",
    "POST /db/Demo/Booking.json",
  ]);
  assert.deepEqual(Object.keys(document.components["schemas"] ?? {}).filter((name) => name.includes(".")), [
    "Demo.Country",
    "Demo.Port",
    "Demo.Port.values",
    "Demo.Vessel",
    "Demo.Vessel.values",
    "Demo.Vessel.new",
    "Demo.Booking.values",
    "Demo.Booking.new",
  ]);
});

Deno.test("the methods of the document are those that Allow names", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service, KEYS.clerk);
  for (const table of ["Country", "Port", "Vessel"]) {
    const response = await service.fetch(`/db/Demo/${table}.json`, {
      method: "OPTIONS",
      headers: credentials(KEYS.clerk),
    });
    const described = operationsOf(document)
      .filter(([name]) =>
        new RegExp(
          ` /db/Demo/${table}(\\.json|/${table}Id/\\{${table}Id\\}\\.json|/CountryCode/.+\\}\\.json)$`,
        ).test(name)
      )
      .map(([name]) => name.replace(/ .*/, ""));
    const allowed = response.headers.get("allow")?.split(", ").filter((name) =>
      !["HEAD", "OPTIONS"].includes(name)
    );
    assert.deepEqual([...new Set(described)].toSorted(), allowed?.toSorted(), table);
  }
});

Deno.test("nothing that a caller may not see is named, and no secret", async () => {
  await using service = await startOpenApiService();
  const cases: readonly (readonly [keyof typeof KEYS | undefined, readonly string[]])[] = [
    ["editor", ["Vault", "Nobody's business"]],
    ["clerk", ["Vault", "Employee", "Salary", "Crew", "Ticket", "Customer.", "Limited", "Awk", "Locode.new"]],
    ["idler", ["Vault", "Demo", "Port"]],
    [undefined, ["Vault", "Awk", "Limited"]],
  ];
  const secrets = ["secret", "0123456789", service.home, "nowhere.db", "clerk", "editor", "idler"];
  for (const [login, hidden] of cases) {
    const headers = credentials(login && KEYS[login]);
    const text = await (await service.fetch("/openapi.json", { headers })).text();
    for (const word of [...hidden, ...secrets]) assert.equal(text.includes(word), false, `${login}: ${word}`);
  }
});

Deno.test("a right to change definitions without one to see them is in the document", async () => {
  const key = "smith-0123456789-0123456789-0123456789";
  await using service = await startService({
    isAdministered: true,
    files: { "config/users.cfg": `admin: {}\nsmith: {apikey: ${key}, dbdef: [edit], querydef: [delete]}\n` },
  });
  const document = await readDocument(service, key);
  const names = operationsOf(document).map(([name]) => name);
  const send = async (path: string, init: RequestInit = {}) => {
    return await statusOf(service.fetch(path, { ...init, headers: credentials(key) }));
  };
  assert.deepEqual(names.filter((name) => /(dbdef|querydef)/.test(name)), [
    "PUT /dbdef/{db_id}.json",
    "DELETE /querydef/{query_id}.json",
  ]);
  for (const [, name = ""] of JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
    assert.ok(document.components["schemas"]?.[name], name);
  }
  assert.equal(await send("/dbdef.json"), 403);
  assert.equal(await send("/dbdef/Demo.json", { method: "PUT", body: '{"desc": "Ferries"}' }), 204);
});

Deno.test("the document holds the connected databases of the caller", async () => {
  await using service = await startOpenApiService();
  const tags = async (key?: string) => (await readDocument(service, key)).tags.map(({ name }) => name);
  const common = ["The service", "The configuration"];
  assert.deepEqual(await tags(KEYS.editor), ["Demo", "Awk@ward~1", "Limited", "Saved queries", ...common]);
  assert.deepEqual(await tags(KEYS.idler), common);
  assert.deepEqual(await tags(), ["Demo", "Saved queries", ...common]);
  const demo = await readDocument(service, KEYS.editor, "/openapi/Demo.json");
  assert.deepEqual(demo.tags, [
    { name: "Demo", description: "Demo database" },
    { name: "Saved queries", description: "SQL that is kept, with parameters." },
    { name: "The service", description: "What is there, settings and state." },
    { name: "The configuration", description: "Users, databases, saved queries and how they are." },
  ]);
});

const CREDENTIALS = [{ apikey: [] }, { apikey: [], "apikey.appid": [] }, { basic: [] }, { cookie: [] }];

Deno.test("credentials are optional for what public may do", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service, KEYS.editor);
  assert.deepEqual(document.security, [{}, ...CREDENTIALS]);
  assert.deepEqual(document.components["securitySchemes"], {
    "apikey": { type: "apiKey", description: "The API key of a user.", in: "header", name: "apikey" },
    "apikey.appid": {
      type: "apiKey",
      description: "The application id, for users who have one.",
      in: "header",
      name: "appid",
    },
    "basic": { type: "http", scheme: "basic", description: "Login and password of a user." },
    "cookie": {
      type: "apiKey",
      in: "cookie",
      name: "auth_tkt",
      description: "The session that a login opened. Over HTTPS its name is `__Host-auth_tkt`.",
    },
  });
  const securities = new Map(operationsOf(document).map(([name, { security }]) => [name, security]));
  for (const open of ["/db/Demo/Port.json", "/db/Demo.json", "/db.json", "/settings/reflect-status.json"]) {
    assert.deepEqual([...securities].find(([name]) => name === `GET ${open}`), [`GET ${open}`, undefined]);
  }
  assert.deepEqual(securities.get("POST /db/Demo/Port.json"), CREDENTIALS);
  assert.deepEqual(securities.get("GET /db/Limited/Port.json"), CREDENTIALS);
  assert.deepEqual(securities.get("GET /db/Limited.json"), CREDENTIALS);
  assert.deepEqual(securities.get("GET /healthz"), []);
  assert.deepEqual(securities.get(QUERY), undefined);
  assert.deepEqual(securities.get("GET /query/ports.json"), CREDENTIALS);
  assert.deepEqual(securities.get("GET /userdef.json"), CREDENTIALS);
});

Deno.test("credentials are needed where anonymous access is closed", async () => {
  await using service = await startOpenApiService({ closed: true });
  assert.equal(await statusOf(service.fetch("/openapi.json")), 403);
  const document = await readDocument(service, KEYS.clerk);
  assert.deepEqual(document.security, CREDENTIALS);
});
