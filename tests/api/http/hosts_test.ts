import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedShop } from "@/tests/api/writing/shop.ts";

/** A server may refuse them itself, without a body. */
const HOSTS = [
  ...['a b"<x>', "a/b", "x/db/Shop/Tag.json?", "x/login?", "a@b", "1.2.3.999", "a:99999", "[", "[::1"],
  ...["a, b", "%zz", "a:x", "a?b", "a#b", "a\\b"],
];
/** Written whole or refused later. */
const BODIES = ['{"Text": "written"}', '{"Text": "not clo'];

const shops = {
  deno: sharedShop({ args: ["--adapter", "deno"] }),
  node: sharedShop({ args: ["--adapter", "node"] }),
};

const trusting = sharedShop({ settings: ["trusted_proxies = 127.0.0.1"] });

/** Hosts of other services, which this service accepts. */
const OTHERS = ["a", "data_1.example-2.com", "127.0.0.1:80", "[::1]", "[fe80::1]:65535", "A.example:0"];

for (const [adapter, shop] of Object.entries(shops)) {
  Deno.test(`a write with a host that is none is refused, writes nothing and harms nobody (${adapter})`, async () => {
    const opened = shop();
    const { service } = opened;
    const before = opened.dump();
    for (const Host of HOSTS) {
      for (const body of BODIES) {
        const { status } = await sendRaw(service.port, {
          method: "POST",
          target: "/db/Shop/Tag.json",
          headers: { Host },
          body,
        });
        assert.equal(status, 400, `${Host} ${body}`);
      }
    }
    assert.deepEqual(opened.dump(), before);
    const still = await sendRaw(service.port, { target: "/db/Shop/Tag/Text/plain/Text.json" });
    assert.equal(still.text, '"plain"', "the service is still there");
    assert.doesNotMatch(await service.log(), /failed unexpectedly/);
  });

  Deno.test(`names, addresses and ports are hosts (${adapter})`, async () => {
    for (const Host of OTHERS) {
      const { status } = await sendRaw(shop().service.port, { target: "/healthz", headers: { Host } });
      assert.equal(status, 200, Host);
    }
  });

  Deno.test(`a host does not become a part of the path (${adapter})`, async () => {
    const { service } = shop();
    const headers = { Host: "x/db/Shop/Tag/Text/plain.json?limit=" };
    assert.equal((await sendRaw(service.port, { target: "/1", headers })).status, 400);
  });

  Deno.test(`a request without a host, as HTTP 1.0 has it, is told where its record is (${adapter})`, async () => {
    const { service } = shop();
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
    const body = '{"Text": "written"}';
    const head = `POST /db/Shop/Tag.json HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head + body));
    const answer = await new Response(connection.readable).text();
    assert.match(answer, /^HTTP\/1\.[01] 201 /);
    assert.match(answer, /^location: http:\/\/localhost(:\d+)?\/db\/Shop\/Tag\/Text\/written\.json\r$/im);
  });
}

Deno.test("Location is an address of the outside behind a proxy that ends TLS", async () => {
  const { service } = trusting();
  const answer = await service.fetch("/db/Shop/Tag.json", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-For": "192.0.2.1",
    },
    body: '{"Text": "written"}',
  });
  assert.equal(answer.status, 201, await answer.text());
  assert.equal(
    answer.headers.get("location"),
    `https://127.0.0.1:${service.port}/db/Shop/Tag/Text/written.json`,
  );
});

Deno.test("a host that is none is told so", async () => {
  const headers = { Host: "a b", Accept: "application/json" };
  const { text } = await sendRaw(shops.deno().service.port, { target: "/db.xml", headers });
  assert.deepEqual(JSON.parse(text), {
    http_code: 400,
    description:
      'Cannot use the header "Host": it has to be a name or an address, and perhaps a port, as in example.com:8080',
  });
});
