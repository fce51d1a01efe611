import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService } from "@/tests/support/service.ts";

const KEY = "0123456789abcdef0123456789abcdef";

const options = {
  isAdministered: true,
  files: {
    "config/service.ini": "[service]\nstatic_path = ../static\n",
    "config/users.cfg": `admin: {apikey: ${KEY}, databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\n`,
    "config/querydefs.cfg":
      'ports: {database: Demo, sqlstr: "SELECT * FROM Port", http_methods: {GET: true}, execute: [public]}\n',
    "static/note.txt": "Sailing is delayed.\n",
  },
};
const service = sharedService(options);
const services = { deno: service, node: sharedService({ ...options, args: ["--adapter", "node"] }) };

const EXTENSIONS = ["json", "xml", "csv", "html", "txt", "xsd"] as const;

/** Paths in every format, also in those that they do not have, and by `Accept`. */
const IN_FORMATS = [
  "/db",
  "/db?schema",
  "/db/Demo",
  "/db/Demo/Port",
  "/db/Demo/Port?limit=3&count",
  "/db/Demo/Port?limit=3&count&stream",
  "/db/Demo/Port?schema",
  "/db/Demo/Port?limit=3&transpose",
  "/db/Demo/Port?nonsense",
  "/db/Demo/Country/CountryCode/NO",
  "/db/Demo/Country/CountryCode/NO/Name",
  "/db/Demo/Country/CountryCode/XX",
  "/db/Demo/Nope",
  "/query",
  "/query/ports",
  "/query/ports?limit=3",
  "/userdef",
  "/userdef/admin",
  "/userdef?schema",
  "/dbdef",
  "/querydef/ports",
  "/load-model/Demo",
  "/openapi",
  "/openapi/Demo",
  "/settings",
  "/settings/reflect-status/Demo",
  "/settings/check-query",
  "/reqstatus",
  "/license",
  "/version",
  "/login",
  "/nothing/here",
];

const PATHS = [
  ...IN_FORMATS,
  ...IN_FORMATS.flatMap((path) => EXTENSIONS.map((each) => path.replace(/$|(?=\?)/, `.${each}`))),
  ...["/", "/db?nonsense", "/logout", "/first-run", "/healthz", "/readyz", "/metrics"],
  ...["/static/note.txt", "/static/none.txt", "/assets/none/none.css", "/ui/none", "/favicon.ico"],
  ...["/ui/raw/db/Demo/Country/CountryCode/NO/Name", "/ui/raw/db/Demo/Country"],
];

/** Headers that differ between messages, and those of framing. */
const OWN = ["connection", "content-length", "date", "keep-alive", "server-timing", "transfer-encoding"];
/** Headers of the effect of `GET /logout`, which HEAD does not have. */
const EFFECT = ["cache-control", "set-cookie"];

async function send(port: number, method: string, target: string, sent: Readonly<Record<string, string>>) {
  const { status, headers, text } = await sendRaw(port, { method, target, headers: sent });
  const length = headers.get("content-length");
  for (const name of [...OWN, ...target === "/logout" ? EFFECT : [], "x-request-id"]) headers.delete(name);
  // Tokens, and the method that a refusal names.
  const stable = [...headers].map((
    [name, value],
  ) => [name, value.replace(/=[\w.-]{20,}|\b(HEAD|GET)\b/, "…")]);
  return { status, headers: Object.fromEntries(stable), text, length };
}

for (const [adapter, started] of Object.entries(services)) {
  for (const [who, credentials] of Object.entries({ public: {}, admin: { apikey: KEY } })) {
    Deno.test(`HEAD has status and headers of GET, and no body: ${adapter}, ${who}`, async () => {
      const { port, fetch } = started();
      const [asset = ""] = /\/assets\/[^"]+/.exec(await (await fetch("/login")).text()) ?? [];
      assert.notEqual(asset, "");
      for (const accept of ["*/*", "text/html", "image/png"]) {
        const isBoth = (path: string) => accept === "*/*" || !/\.\w+($|\?)/.test(path);
        for (const target of [...PATHS, asset].filter(isBoth)) {
          // GET leads a person on, as a page of the method that opened the session.
          if (target === "/logout" && accept === "text/html") continue;
          const sent = { ...credentials, Accept: accept };
          const head = await send(port, "HEAD", target, sent);
          const get = await send(port, "GET", target, sent);
          const title = `${target} as ${accept}`;
          assert.deepEqual({ ...head, text: "", length: "" }, { ...get, text: "", length: "" }, title);
          assert.equal(head.text, "", title);
          assert.ok([undefined, null, get.length].includes(head.length), `${title}: a length is that of GET`);
        }
      }
    });
  }
}

for (const [adapter, started] of Object.entries(services)) {
  Deno.test(`HEAD has the headers of an answer that is compressed: ${adapter}`, async () => {
    const { port } = started();
    for (const target of ["/db/Demo/Country/CountryCode/NO.json", "/static/note.txt", "/db/Demo/Nope.json"]) {
      const head = await sendRaw(port, { method: "HEAD", target, headers: { "Accept-Encoding": "gzip" } });
      const get = await sendRaw(port, { target, headers: { "Accept-Encoding": "gzip" } });
      for (const name of ["etag", "content-encoding", "vary"]) {
        assert.equal(head.headers.get(name), get.headers.get(name), `${target}: ${name}`);
      }
      const length = get.headers.get("content-length");
      assert.ok(
        [null, length].includes(head.headers.get("content-length")),
        `${target}: a length is that of GET`,
      );
    }
  });
}

Deno.test("HEAD over HTTP/2 has the encoding of GET, and no body (deno)", async () => {
  const client = connect(`http://127.0.0.1:${services.deno().port}`);
  try {
    for (const path of ["/db/Demo/Country/CountryCode/NO.json", "/db.json", "/login", "/static/note.txt"]) {
      const read = async (method: string) => {
        const stream = client.request({ ":method": method, ":path": path, "accept-encoding": "gzip" });
        const bytes: Uint8Array[] = [];
        stream.on("data", (piece: Uint8Array) => bytes.push(piece));
        const [[headers]] = await Promise.all([once(stream, "response"), once(stream, "end")]);
        return { encoding: headers["content-encoding"], hasBody: bytes.length > 0 };
      };
      const get = await read("GET");
      assert.deepEqual(await read("HEAD"), { ...get, hasBody: false }, path);
    }
  } finally {
    client.destroy();
  }
});

Deno.test("HEAD of a large answer keeps no memory of it", async () => {
  const { port, fetch } = services.node();
  const target = "/openapi/Demo.json";
  const [head, get] = [await sendRaw(port, { method: "HEAD", target }), await sendRaw(port, { target })];
  assert.equal(head.headers.get("content-length"), get.headers.get("content-length"));
  const metrics = await (await fetch("/metrics", { headers: { apikey: KEY } })).text();
  assert.match(metrics, /^rowhouse_held_bytes\{kind="answers"\} 0$/m);
});

for (
  const target of ["/db/Demo/Country/CountryCode/NO.json", "/db/Demo/Country/CountryCode/NO.xml?depth=1"]
) {
  Deno.test(`HEAD ${target} of a record that the client knows is 304, as GET is`, async () => {
    for (const method of ["HEAD", "GET"]) {
      const { status, headers, text } = await sendRaw(service().port, {
        method,
        target,
        headers: { "If-None-Match": "*" },
      });
      assert.deepEqual([status, headers.has("etag"), text], [304, true, ""], method);
    }
  });
}

Deno.test("HEAD counts all records", async () => {
  const { headers } = await sendRaw(service().port, {
    method: "HEAD",
    target: "/db/Demo/Port.json?count&limit=1",
  });
  const { text } = await sendRaw(service().port, { target: "/db/Demo/Port/PortId.json" });
  assert.equal(headers.get("rowhouse-all-record-count"), String(JSON.parse(text).length));
});

Deno.test("/healthz has reading methods and names them", async () => {
  const options = await service().fetch("/healthz", { method: "OPTIONS" });
  assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
  await options.body?.cancel();
  const refused = await service().fetch("/healthz", { method: "POST" });
  await refused.body?.cancel();
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
});
