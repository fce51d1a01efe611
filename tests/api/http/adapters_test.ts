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
        const answer = await readCompressed(service(), target, encoding);
        assert.equal(answer.encoding, encoding);
        assert.deepEqual(answer.vary, ["Accept-Encoding", "Origin"]);
        assert.equal(decode(answer.bytes).toString(), plain.text);
        assert.equal(answer.bytes.length < plain.text.length / 2, true);
      });
    }
  }

  Deno.test(`the ${adapter} adapter sends what is not to be compressed as it is, and says it could vary`, async () => {
    for (const header of ["", "Accept-Encoding: identity\r\n", "Accept-Encoding: gzip;q=0\r\n"]) {
      const { headers, bytes } = await sendBytes(
        service().port,
        `GET /db/Demo/Port.json HTTP/1.1\r\n${header}`,
      );
      assert.equal(/^content-encoding/im.test(headers), false);
      assert.match(headers, /^vary: Accept-Encoding, Origin\r?$/im);
      assert.equal(new TextDecoder().decode(bytes).includes('"Bergen"'), true);
    }
  });

  Deno.test(`the ${adapter} adapter streams in chunks`, async () => {
    const target = "/db/Demo/Ticket.json?stream&limit=200";
    assert.equal((await sendRaw(service().port, { target })).headers.get("transfer-encoding"), "chunked");
    assert.equal((await sendRaw(service().port, { target })).headers.has("content-length"), false);
  });

  Deno.test(`the ${adapter} adapter gives no length of a body that HEAD does not have`, async () => {
    const { headers } = await sendRaw(service().port, { method: "HEAD", target: "/db/Demo/Port.json" });
    assert.equal(headers.has("content-length"), false);
  });
}

async function readCompressed({ port }: TestService, target: string, encoding: string) {
  const start = `GET ${target} HTTP/1.1\r\nAccept-Encoding: ${encoding}\r\n`;
  const { headers, bytes } = await sendBytes(port, start);
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(headers)?.[1]?.trim();
  return { encoding: field("content-encoding"), vary: field("vary")?.split(", ").toSorted(), bytes };
}

/** The head and the body's bytes, taken out of their chunks. */
async function sendBytes(port: number, start: string) {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${start}Host: localhost\r\nConnection: close\r\n\r\n`));
  const parts: number[] = [];
  const piece = new Uint8Array(65536);
  for (let count = await connection.read(piece); count !== null; count = await connection.read(piece)) {
    parts.push(...piece.subarray(0, count));
  }
  const all = Uint8Array.from(parts);
  const end = new TextDecoder("latin1").decode(all).indexOf("\r\n\r\n");
  const headers = new TextDecoder("latin1").decode(all.subarray(0, end));
  const body = all.subarray(end + 4);
  return { headers, bytes: /^transfer-encoding: chunked/im.test(headers) ? unchunk(body) : body };
}

function unchunk(body: Uint8Array): Uint8Array {
  const content: number[] = [];
  for (let at = 0;;) {
    const line = body.indexOf(10, at);
    const size = parseInt(new TextDecoder().decode(body.subarray(at, line)), 16);
    if (!(size > 0)) return Uint8Array.from(content);
    content.push(...body.subarray(line + 1, line + 1 + size));
    at = line + 1 + size + 2;
  }
}
