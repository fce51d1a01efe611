import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const USERS =
  `public: {databases: {Demo: {access: {"*": [read]}}}}\nanna: {apikey: ${KEY}, databases: {Demo: {}}}\n`;
const service = sharedService({ files: { "config/users.cfg": USERS } });

async function send(path: string, init: RequestInit = {}) {
  const answer = await service().fetch(path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const EVERYWHERE: readonly (readonly [path: string, method: string])[] = [
  ["/", "GET"],
  ["/db.json", "GET"],
  ["/db/Demo/Country.json", "HEAD"],
  ["/db/Demo/Country.xml?stream", "GET"],
  ["/db/Demo/Country.html", "GET"],
  ["/db/Demo/Nope.json", "GET"],
  ["/db.json", "OPTIONS"],
  ["/db.json", "DELETE"],
  ["/version.txt", "GET"],
  ["/healthz", "GET"],
];

for (const [path, method] of EVERYWHERE) {
  Deno.test(`${method} ${path} forbids guessing the content type`, async () => {
    assert.equal((await send(path, { method })).headers.get("x-content-type-options"), "nosniff");
  });
}

Deno.test("a harmless request id is given back", async () => {
  const { headers } = await send("/db.json", { headers: { "X-Request-Id": "Abc_1.2-3" } });
  assert.equal(headers.get("x-request-id"), "Abc_1.2-3");
});

const GENERATED = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

for (const id of ["", "a b", "<script>", "a\tb", "é", "x".repeat(65)]) {
  Deno.test(`the request id ${JSON.stringify(id.slice(0, 10))} is replaced by a new one`, async () => {
    const { headers } = await send("/db.json", { headers: { "X-Request-Id": id } });
    assert.match(headers.get("x-request-id") ?? "", GENERATED);
  });
}

Deno.test("each request without id gets one of its own, also when it is refused", async () => {
  const ids = await Promise.all(["/db.json", "/db.json", "/db/Demo/Nope.xml"].map(async (path) => {
    return (await send(path)).headers.get("x-request-id") ?? "";
  }));
  for (const id of ids) assert.match(id, GENERATED);
  assert.equal(new Set(ids).size, 3);
});

const CACHE: readonly (readonly [path: string, headers: Record<string, string>, expected: string])[] = [
  ["/db.json", {}, "no-cache"],
  ["/db/Demo/Country.json?limit=1", {}, "no-cache"],
  ["/db/Demo/Nope.json", {}, "no-cache"],
  ["/db.json", { apikey: KEY }, "private, no-cache"],
  ["/db/Demo/Country.json?limit=1", { apikey: KEY }, "private, no-cache"],
  ["/db/Demo/Country.html", { apikey: KEY }, "no-store"],
  ["/db/Demo/Nope.json", { apikey: KEY }, "private, no-cache"],
];

for (const [path, headers, expected] of CACHE) {
  const who = "apikey" in headers ? "a user" : "everybody";
  Deno.test(`what ${who} gets from ${path} may be cached as ${expected}`, async () => {
    assert.equal((await send(path, { headers })).headers.get("cache-control"), expected);
  });
}

Deno.test("a page that a key opens again, with the session that it has opened, is not stored either", async () => {
  const opened = await send("/db.html", { headers: { apikey: KEY } });
  const Cookie = (opened.headers.getSetCookie()[0] ?? "").split(";", 1).join();
  const again = await send("/db.html", { headers: { apikey: KEY, Cookie } });
  assert.deepEqual([again.headers.getSetCookie(), again.headers.get("cache-control")], [[], "no-store"]);
});

const VARY: readonly (readonly [path: string, accept: string | undefined, expected: string])[] = [
  ["/db.json", undefined, "Accept-Encoding, Origin"],
  ["/db.json", "text/csv", "Accept-Encoding, Origin"],
  ["/db.xml", undefined, "Accept, Accept-Encoding, Origin"],
  ["/db", undefined, "Accept, Accept-Encoding, Origin"],
  ["/db", "text/csv", "Accept, Accept-Encoding, Origin"],
  ["/db/Demo/Country?limit=2", "application/xml", "Accept, Accept-Encoding, Origin"],
  ["/db", "image/png", "Accept, Origin"],
  ["/db?limit=x", "text/csv", "Accept, Accept-Encoding, Origin"],
  ["/logout", "text/html", "Accept, Origin"],
  ["/logout", "text/csv", "Accept, Accept-Encoding, Origin"],
];

for (const [path, accept, expected] of VARY) {
  Deno.test(`${path} with Accept ${accept ?? "unset"} varies by ${expected}`, async () => {
    const { headers } = await send(path, accept === undefined ? {} : { headers: { Accept: accept } });
    assert.equal(headers.get("vary"), expected);
  });
}

Deno.test("pages may load nothing from elsewhere, and no page may frame them", async () => {
  for (const path of ["/db/Demo/Country.html?limit=1", "/db/Demo/Nope.html", "/db.html"]) {
    const { headers } = await send(path);
    const policy = headers.get("content-security-policy") ?? "";
    const directives = policy.split("; ");
    for (
      const expected of [
        "default-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "script-src 'self'",
        "style-src 'self'",
      ]
    ) {
      assert.equal(directives.includes(expected), true, `${path}: ${expected}`);
    }
    assert.doesNotMatch(policy, /unsafe|https?:|\*/, path);
    assert.equal(headers.get("referrer-policy"), "same-origin");
  }
});

Deno.test("data that is no page has no policy for pages", async () => {
  assert.equal((await send("/db.json")).headers.has("content-security-policy"), false);
});

for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
  for (const path of ["/db.json", "/db/Demo.json", "/settings.json", "/"]) {
    Deno.test(`${method} ${path} is refused and told what is allowed`, async () => {
      const { status, headers, text } = await send(path, { method });
      assert.equal(status, 405);
      assert.equal(headers.get("allow"), "GET, HEAD, OPTIONS");
      assert.deepEqual(JSON.parse(text), { http_code: 405, description: headers.get("warning") });
      assert.match(headers.get("warning") ?? "", /GET, HEAD, OPTIONS/);
    });
  }
}

Deno.test("a table is written with the rights for it only; what nobody may do is told from what this caller may not", async () => {
  const body = { "Content-Type": "application/json" };
  for (const method of ["POST", "PUT", "DELETE"]) {
    const { status } = await send("/db/Demo/Country/CountryCode/NO.json", { method, headers: body });
    assert.equal(status, 403, method);
  }
  const { status, headers } = await send("/db/Demo/Country/CountryCode/NO.json", { method: "PATCH" });
  assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  const anna = { method: "OPTIONS", headers: { apikey: KEY } };
  assert.equal(
    (await send("/db/Demo/Country.json", anna)).headers.get("allow"),
    "GET, HEAD, OPTIONS, POST, PUT, DELETE",
  );
  const one = "/db/Demo/Port/PortId/1/Country.json";
  assert.equal((await send(one, anna)).headers.get("allow"), "GET, HEAD, OPTIONS, PUT, DELETE");
});

Deno.test("OPTIONS tells what is allowed, on every resource", async () => {
  for (const path of ["/", "/db", "/db/Demo/Country.json", "/settings.json", "/version.txt"]) {
    const { status, headers, text } = await send(path, { method: "OPTIONS" });
    assert.deepEqual([status, headers.get("allow"), text], [204, "GET, HEAD, OPTIONS", ""], path);
  }
});

for (
  const [path, allowed] of [
    ["/ui/db/Demo/Port", "GET, HEAD, POST, OPTIONS"],
    ["/ui/raw/db/Demo/Country/CountryCode/NO/Name", "GET, HEAD, OPTIONS"],
  ] as const
) {
  Deno.test(`OPTIONS and the refusal of PUT tell what ${path} allows`, async () => {
    for (const [method, expected] of [["OPTIONS", 204], ["PUT", 405]] as const) {
      const { status, headers } = await send(path, { method });
      assert.deepEqual([status, headers.get("allow")], [expected, allowed], method);
    }
  });
}

Deno.test("a body that says it has more than 10 MiB is refused before it is sent", async () => {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: service().port });
  const head = "POST /db/Demo/Country.json HTTP/1.1\r\nHost: x\r\nContent-Length: 10485761\r\n\r\n";
  await connection.write(new TextEncoder().encode(head));
  const piece = new Uint8Array(4096);
  const count = await connection.read(piece) ?? 0;
  assert.match(new TextDecoder().decode(piece.subarray(0, count)), /^HTTP\/1\.1 413 /);
});

Deno.test("a rejected key is 403, says what to do, and does not repeat the key", async () => {
  const { status, headers, text } = await send("/db.json", { headers: { apikey: "no-such-key-0815" } });
  assert.equal(status, 403);
  assert.equal(JSON.parse(text).description, headers.get("warning"));
  assert.match(headers.get("warning") ?? "", /log in, or resend with a valid API key/);
  assert.equal(headers.has("www-authenticate"), false);
  assert.equal((await service().log()).includes("no-such-key-0815"), false);
});
