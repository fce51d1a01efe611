import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type RawRequest, sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService, type TestService } from "@/tests/support/service.ts";

const services = {
  deno: sharedService({ args: ["--adapter", "deno"] }),
  node: sharedService({ args: ["--adapter", "node"] }),
};

const GET = [
  "/",
  "/db",
  "/db?",
  "/db.json",
  "/db/Demo.xml",
  "/db/Demo/Country.json?limit=2",
  "/db/Demo/Country.html",
  "/db/Demo/Country.txt?limit=2",
  "/db/Demo/Port/PortId/1..3/Name.json",
  "/db/Demo/Port/PortId/..3/Name.csv",
  "/db/Demo/Employee/ReportsTo/<null>/LastName.json",
  "/db/Demo/Employee/ReportsTo/%3Cnull%3E/LastName.json",
  "/db/Demo/Customer/Company//LastName.json?limit=2",
  "/db/Demo/Country/CountryCode/N%4F/Name.json",
  "/db/Demo/Fare/FareCode/a%2Fb.json",
  "/db/Demo/Country/Name/%zz.json",
  "/db/Demo/Country/Name/%E4.json",
  "/db/Demo/Country.json?a=%zz",
  "/db/Demo/../Demo/Country.json",
  "/db/Demo/./Country.json",
  "/db/Demo/Country/Name/..%2F.json",
  "/../../etc/passwd",
  "/%2e%2e/db.json",
  "/db//Demo.json",
  "//db/Demo.json",
  "/db/Demo/{x}|^`.json",
  "http://example.com/db/Demo/Country/CountryCode/NO/Name.json",
  "/db/Demo/Ticket.json?stream&limit=200",
  "/settings.json",
  "/version.txt",
  "/healthz",
  "/%68ealthz",
  "/x/../healthz",
  "/x/%2e%2e/healthz",
  "/login/../healthz?database=Demo",
  "/assets/../metrics",
  "/nothing/here.csv",
];

const REQUESTS: readonly RawRequest[] = [
  ...GET.map((target) => ({ target })),
  ...GET.map((target) => ({ method: "HEAD", target })),
  { target: "/db.json", headers: { Accept: "text/csv;q=0.5, application/xml" } },
  { target: "/db", headers: { Accept: "text/csv;q=0.5, application/xml" } },
  { target: "/db", headers: { Accept: "image/png" } },
  { target: "/db.json", headers: { Origin: "https://a.example", "X-Request-Id": "abc" } },
  { method: "OPTIONS", target: "/db.json", headers: { Origin: "https://a.example" } },
  { method: "OPTIONS", target: "/db/Demo/../<null>" },
  { method: "POST", target: "/db/Demo/Country.json", body: "{}" },
  { method: "DELETE", target: "/db/Demo/Country.json" },
  { target: "/db.json", headers: { apikey: "wrong" } },
];

for (const request of REQUESTS) {
  const { method = "GET", target, headers = {} } = request;
  const shown = [method, target, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  Deno.test(`both adapters answer ${shown.join(" ")} alike`, async () => {
    const [deno, node] = await Promise.all([
      observe(services.deno(), request),
      observe(services.node(), request),
    ]);
    assert.notEqual(deno.status, 500);
    assert.deepEqual(node, deno);
  });
}

/** Headers of the adapter itself: framing, time and connection of a message. */
const FRAMING = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"];

async function observe({ port }: TestService, request: RawRequest) {
  const { status, headers, text } = await sendRaw(port, request);
  for (const name of FRAMING) headers.delete(name);
  if (!new Headers(request.headers).has("x-request-id")) headers.delete("x-request-id");
  const vary = (headers.get("vary") ?? "").split(", ").toSorted();
  return { status, headers: { ...Object.fromEntries(headers), vary }, text };
}

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync } as const;

for (const [adapter, service] of Object.entries(services)) {
  for (const [encoding, decode] of Object.entries(DECODERS)) {
    for (const query of ["", "?stream"]) {
      Deno.test(`the ${adapter} adapter compresses Port.json${query} with ${encoding}`, async () => {
        const target = `/db/Demo/Port.json${query}`;
        const plain = await sendRaw(service().port, { target });
        const { headers, bytes } = await sendRaw(service().port, {
          target,
          headers: { "Accept-Encoding": encoding },
        });
        assert.equal(headers.get("content-encoding"), encoding);
        assert.deepEqual(headers.get("vary")?.split(", ").toSorted(), ["Accept-Encoding", "Origin"]);
        assert.equal(decode(bytes).toString(), plain.text);
        assert.equal(bytes.length < plain.text.length / 2, true);
      });
    }
  }

  Deno.test(`the ${adapter} adapter sends what is not to be compressed as it is, and says it could vary`, async () => {
    for (const accepted of [{}, { "Accept-Encoding": "identity" }, { "Accept-Encoding": "gzip;q=0" }]) {
      const { headers, text } = await sendRaw(service().port, {
        target: "/db/Demo/Port.json",
        headers: accepted,
      });
      assert.equal(headers.has("content-encoding"), false);
      assert.equal(headers.get("vary"), "Accept-Encoding, Origin");
      assert.ok(text.includes('"Bergen"'));
    }
  });

  Deno.test(`the ${adapter} adapter takes a path of as many values as a path may have`, async () => {
    const values = Array.from({ length: 1000 }, () => crypto.randomUUID());
    const { status, text } = await sendRaw(service().port, { target: `/db/Demo/Port/Name/${values}.json` });
    assert.deepEqual([status, text], [200, "[]"]);
  });

  Deno.test(`the ${adapter} adapter streams in chunks`, async () => {
    const { headers } = await sendRaw(service().port, { target: "/db/Demo/Ticket.json?stream&limit=200" });
    assert.equal(headers.get("transfer-encoding"), "chunked");
    assert.equal(headers.has("content-length"), false);
  });
}
