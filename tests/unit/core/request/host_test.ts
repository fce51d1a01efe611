import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { createHostCheck, originOf } from "@/core/request/check_host.ts";

const check = createHostCheck();
const isHost = (host: string) => check({ get: () => host } as unknown as Headers) === undefined;

Deno.test("a host is a name or an address, and perhaps a port", () => {
  const hosts = [
    ...[
      "example.com",
      "EXAMPLE.com:8080",
      "my_service",
      "a-b.c.",
      "127.0.0.1:80",
      "[::1]",
      "[2001:db8::1]:443",
    ],
    ...["", "xn--mnchen-3ya.example", "~x"],
  ];
  for (const host of hosts) assert.equal(isHost(host), true, host);
  assert.equal(check(new Headers()), undefined, "HTTP 1.0 has none");
});

Deno.test("what would become a part of the request's path is no host", () => {
  const others = [
    ...[
      "a/b",
      "a?b",
      "a#b",
      "a@b",
      "user:pw@a",
      "a b",
      'a"b',
      "<x>",
      "a\\b",
      "a, b",
      "%61",
      "ä",
      "http://a",
      "[",
    ],
    ...["[::1", "::1", "a:b", "a:123456", "a:1:2", "a\tb", ":80", "1.2.3.999", "a:99999", "a..b/c"],
  ];
  for (const other of others) assert.equal(isHost(other), false, other);
});

Deno.test("the origin is the host that was asked, with the scheme that its client used", () => {
  const url = "http://10.0.0.1:8080/db.json";
  const cases = [
    ["example.com", false, "http://example.com"],
    ["example.com", true, "https://example.com"],
    ["EXAMPLE.com:8443", true, "https://example.com:8443"],
    ["example.com:443", true, "https://example.com"],
    [null, false, "http://10.0.0.1:8080"],
    ["", true, "https://10.0.0.1:8080"],
  ] as const;
  for (const [host, isHttps, origin] of cases) assert.equal(originOf({ url, host, isHttps }), origin);
});

Deno.test("a host that no URL can have is the client's mistake", () => {
  for (const host of ["1.2.3.999", "a:99999", "a..1", "0x1.2.3.4.5"]) {
    assert.throws(
      () => originOf({ url: "http://a/", host, isHttps: false }),
      (error) => error instanceof ServiceError && error.code === "bad-request",
      host,
    );
  }
});
