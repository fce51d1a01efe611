import assert from "node:assert/strict";
import { OpenAPIClientAxios } from "@/tests/support/packages/openapi_client_axios.ts";
import { complaintsAbout, credentials, readDocument } from "./document.ts";
import { KEYS, startOpenApiService } from "./service.ts";

/** Calls operations by their name. It knows only the document. */
async function createClient(url: string) {
  const axiosConfigDefaults = { baseURL: url, headers: { apikey: KEYS.editor }, adapter: "fetch" as const };
  const api = new OpenAPIClientAxios({ definition: `${url}/openapi.json`, axiosConfigDefaults });
  const client = await api.init();
  return async (
    operation: string,
    parameters: Record<string, string | number>,
    body?: unknown,
  ) => {
    const call = client[operation];
    if (!call) throw new Error(`The document has no operation ${operation}`);
    return await call(parameters, body, { validateStatus: () => true });
  };
}

Deno.test("a client driven by the document creates, reads, changes and deletes", async () => {
  await using service = await startOpenApiService();
  const call = await createClient(service.url);

  const created = await call("Demo.Amenity.create", {}, { Name: "Library" });
  assert.equal(created.status, 201);
  const location = String(created.headers["location"]);
  const [, id] = /\/db\/Demo\/Amenity\/AmenityId\/(\d+)\.json$/.exec(location) ?? [];
  const AmenityId = Number(id);

  const read = await call("Demo.Amenity.get", { AmenityId });
  assert.equal(read.status, 200);
  assert.equal(read.data.Name, "Library");

  const changed = await call("Demo.Amenity.update", { AmenityId }, { ...read.data, Name: "Bridge lounge" });
  assert.equal(changed.status, 204);
  const again = await call("Demo.Amenity.get", { AmenityId });
  assert.equal(again.data.Name, "Bridge lounge");

  const stale = await call("Demo.Amenity.delete", { AmenityId, "If-Match": String(read.headers["etag"]) });
  assert.equal(stale.status, 412);
  const deleted = await call("Demo.Amenity.delete", { AmenityId, "If-Match": String(again.headers["etag"]) });
  assert.equal(deleted.status, 204);
  const gone = await call("Demo.Amenity.get", { AmenityId });
  assert.deepEqual([gone.status, gone.data.http_code], [404, 404]);
});

Deno.test("a client driven by the document creates and lists over a relation", async () => {
  await using service = await startOpenApiService();
  const call = await createClient(service.url);
  const vessel = { Name: "Ny", CallSign: "LNNY", LaunchedOn: "2020-02-02", Seats: 10, LengthMetres: 12.5 };
  const created = await call("Demo.Port.Vessel.create", { PortId: 2 }, vessel);
  assert.equal(created.status, 201);
  const listed = await call("Demo.Port.Vessel.list", {
    PortId: 2,
    sort: "-VesselId",
    limit: 1,
    count: "true",
  });
  assert.equal(listed.status, 200);
  assert.deepEqual([listed.data.length, listed.data[0].Name, listed.data[0].HomePortId], [1, "Ny", 2]);
  assert.equal(Number(listed.headers["rowhouse-all-record-count"]) >= 1, true);
});

Deno.test("a client driven by the document reaches records of composite and awkward keys", async () => {
  await using service = await startOpenApiService();
  const call = await createClient(service.url);
  const table = "Awk..40ward..7e1._1_x____";
  const created = await call(`${table}.create`, {}, { "a b": 5, "a_b": "tail/and", "$ref": "here" });
  assert.equal(created.status, 201);
  const read = await call(`${table}.get`, { a_b: 5, a_b_2: "tail/and" });
  assert.deepEqual([read.status, read.data["$ref"]], [200, "here"]);
});

Deno.test("a client driven by the document filters, and gets the new records where it prefers them", async () => {
  await using service = await startOpenApiService();
  const call = await createClient(service.url);
  const ports = await call("Demo.Port.filter", { column: "CountryCode", value: "NO", limit: 2 });
  assert.deepEqual([ports.status, ports.data.length, ports.data[0].CountryCode], [200, 2, "NO"]);
  const created = await call("Demo.Amenity.create", { Prefer: "return=representation" }, {
    Name: "Reading room",
  });
  assert.deepEqual([created.status, created.data.Name], [201, "Reading room"]);
  const document = await readDocument(service, KEYS.editor);
  const described = document.paths["/db/Demo/Amenity.json"]?.post?.responses["201"];
  assert.deepEqual(Object.keys(described?.headers ?? {}), [
    "Location",
    "ETag",
    "Preference-Applied",
    "Warning",
    "X-Request-Id",
  ]);
  for (const header of ["etag", "preference-applied"]) assert.ok(created.headers[header], header);
});

Deno.test("the document says how a client reaches a text key with operators in it, and that record alone", async () => {
  await using service = await startOpenApiService();
  const call = await createClient(service.url);
  const document = await readDocument(service, KEYS.editor);
  const [key] = document.paths["/db/Demo/Country/CountryCode/{CountryCode}.json"]?.parameters ?? [];
  assert.match(key?.description ?? "", /`\*`.* are operators.*`wildcard`/);
  const [number] = document.paths["/db/Demo/Port/PortId/{PortId}.json"]?.parameters ?? [];
  assert.equal(number?.description, "The value of PortId");

  for (const CountryCode of ["X*", "XY"]) {
    const country = { CountryCode, Name: CountryCode, LocalName: "", Currency: "XXX" };
    assert.equal((await call("Demo.Country.create", {}, country)).status, 201);
  }
  const deleted = await call("Demo.Country.delete", { CountryCode: "X*", wildcard: "\x7f" });
  assert.equal(deleted.status, 204);
  assert.equal((await call("Demo.Country.get", { CountryCode: "XY" })).status, 200);
});

Deno.test("records with related ones inside are as the document describes them", async () => {
  await using service = await startOpenApiService();
  const document = await readDocument(service, KEYS.editor);
  const headers = credentials(KEYS.editor);
  for (const path of ["/db/Demo/Port.json?limit=3&depth=2", "/db/Demo/Sailing.json?limit=3&depth=1"]) {
    const records = await (await service.fetch(path, { headers })).json();
    const [, table = ""] = /Demo\/(\w+)/.exec(path) ?? [];
    const schema = { type: "array", items: { $ref: `#/components/schemas/Demo.${table}` } };
    assert.deepEqual(complaintsAbout(document, schema, records), [], path);
  }
  const port = await (await service.fetch("/db/Demo/Port/PortId/1.json", { headers })).json();
  const { Name: _, ...incomplete } = port;
  const complaints = complaintsAbout(document, { $ref: "#/components/schemas/Demo.Port" }, incomplete);
  assert.deepEqual(complaints, [" must have required property 'Name'"]);
});
