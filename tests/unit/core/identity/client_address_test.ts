import assert from "node:assert/strict";
import { createFindClient, customerOf } from "@/core/identity/client_address.ts";
import { SILENT } from "@/core/storage/log.ts";

const PROXIES = ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "2001:db8::5"];

/** The client that was found, and the lines of the log. */
function find(
  peer: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  { trusted = PROXIES, origin }: { trusted?: readonly string[]; origin?: string } = {},
) {
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (line: string) => void warnings.push(line), error: () => {} };
  const findClient = createFindClient({ trusted, origin, log });
  const client = findClient(peer === undefined ? {} : { peer }, new Headers(headers));
  return { client, warnings, findClient };
}

const ADDRESSES: readonly [
  what: string,
  peer: string | undefined,
  forwarded: string | undefined,
  address: string,
][] = [
  ["a direct client", "203.0.113.9", undefined, "203.0.113.9"],
  ["a client behind a trusted proxy", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a client behind two trusted proxies", "10.1.2.3", "203.0.113.9, 10.9.9.9", "203.0.113.9"],
  ["a client that makes up an address", "10.1.2.3", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
  [
    "a client that makes up a trusted proxy",
    "10.1.2.3",
    "198.51.100.1, 10.5.5.5, 203.0.113.9",
    "203.0.113.9",
  ],
  ["a client that is no proxy and says it is", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a client inside the trusted network", "10.1.2.3", "10.4.4.4", "10.4.4.4"],
  ["rubbish in the place of an address", "10.1.2.3", "203.0.113.9, unknown", "10.1.2.3"],
  ["rubbish beyond a trusted proxy", "10.1.2.3", "<script>, 10.9.9.9", "10.9.9.9"],
  ["an empty header", "10.1.2.3", "", "10.1.2.3"],
  ["empty entries", "10.1.2.3", "203.0.113.9,,", "10.1.2.3"],
  ["an entry with a port", "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
  ["an IPv6 entry with a port", "10.1.2.3", "[2001:db8::7]:4711", "2001:db8:0:0:0:0:0:7"],
  ["an IPv6 entry in brackets", "10.1.2.3", "[2001:DB8::7]", "2001:db8:0:0:0:0:0:7"],
  ["a trusted IPv6 proxy", "fd12::1", "203.0.113.9", "203.0.113.9"],
  ["a trusted IPv6 proxy in another spelling", "2001:0db8:0:0:0:0:0:0005", "203.0.113.9", "203.0.113.9"],
  ["an IPv6 proxy that is not trusted", "fe80::1%eth0", "203.0.113.9", "fe80:0:0:0:0:0:0:1"],
  ["IPv4 in IPv6", "::ffff:203.0.113.9", undefined, "203.0.113.9"],
  ["IPv4 in IPv6, in hexadecimal", "::ffff:cb00:7109", undefined, "203.0.113.9"],
  ["a trusted proxy as IPv4 in IPv6", "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["loopback", "::1", undefined, "0:0:0:0:0:0:0:1"],
  ["no connection", undefined, "203.0.113.9", "unknown"],
  ["a connection without an address", "", undefined, "unknown"],
];

for (const [what, peer, forwarded, address] of ADDRESSES) {
  Deno.test(`the address of ${what} is ${address}`, () => {
    const headers: Record<string, string> = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
    assert.equal(find(peer, headers).client.address, address);
  });
}

const NETWORKS: readonly [peer: string, network: string][] = [
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["64:ff9b::203.0.113.9", "64:ff9b:0:0::/64"],
  ["", "unknown"],
];

for (const [peer, network] of NETWORKS) {
  Deno.test(`"${peer}" is throttled as ${network}`, () => assert.equal(find(peer).client.network, network));
}

Deno.test("the networks of one customer are a site", () => {
  assert.equal(customerOf("2001:db8:1:2::/64"), "2001:db8:1::/48");
  assert.equal(customerOf("203.0.113.9"), "203.0.113.9");
  assert.equal(customerOf("unknown"), "unknown");
});

Deno.test("X-Forwarded-For is ignored, and the log warns once, while no proxy is trusted", () => {
  const { client, warnings, findClient } = find("203.0.113.9", { "X-Forwarded-For": "198.51.100.1" }, {
    trusted: [],
  });
  assert.equal(client.address, "203.0.113.9");
  const other = findClient({ peer: "203.0.113.8" }, new Headers({ "X-Forwarded-For": "198.51.100.2" }));
  assert.equal(other.address, "203.0.113.8");
  assert.deepEqual(warnings, [
    "A request has X-Forwarded-For but trusted_proxies is not set: the header is ignored, and everyone behind the proxy counts as one address",
  ]);
});

Deno.test("the log does not warn without the header, nor when proxies are trusted", () => {
  assert.deepEqual([...find("203.0.113.9", {}, { trusted: [] }).warnings], []);
  const { client, warnings } = find("203.0.113.9", { "X-Forwarded-For": "198.51.100.1" });
  assert.equal(client.address, "203.0.113.9");
  assert.deepEqual(warnings, []);
});

const SCHEMES: readonly [what: string, peer: string, proto: string | undefined, isHttps: boolean][] = [
  ["a direct request", "203.0.113.9", undefined, false],
  ["a direct request that says so", "203.0.113.9", "https", false],
  ["a request by HTTPS to a trusted proxy", "10.1.2.3", "https", true],
  ["a request by HTTPS in capitals", "10.1.2.3", "HTTPS", true],
  ["a request by HTTP to a trusted proxy", "10.1.2.3", "http", false],
  ["a client that says so before the proxy does", "10.1.2.3", "https, http", false],
  ["rubbish", "10.1.2.3", "httpsx", false],
  ["nothing", "10.1.2.3", "", false],
];

for (const [what, peer, proto, isHttps] of SCHEMES) {
  Deno.test(`${what} is ${isHttps ? "" : "not "}HTTPS`, () => {
    const headers: Record<string, string> = proto === undefined ? {} : { "X-Forwarded-Proto": proto };
    assert.equal(find(peer, headers).client.isHttps, isHttps);
  });
}

const PEERS: readonly [peer: string, forwarded: string, address: string, isTrustedProxy: boolean][] = [
  ["203.0.113.9", "10.1.2.3", "203.0.113.9", false],
  ["10.1.2.3", "203.0.113.9", "10.1.2.3", true],
  ["::ffff:10.1.2.3", "203.0.113.9", "10.1.2.3", true],
  ["", "10.1.2.3", "unknown", false],
];

for (const [peer, forwarded, address, isTrustedProxy] of PEERS) {
  Deno.test(`the peer ${peer || "of a socket"} is ${isTrustedProxy ? "" : "not "}a trusted proxy, whatever it forwards`, () => {
    const { client } = find(peer, { "X-Forwarded-For": forwarded });
    assert.deepEqual(client.peer, { address, isTrustedProxy });
  });
}

Deno.test("everything is HTTPS when the base URL is", () => {
  assert.equal(find("203.0.113.9", {}, { origin: "https://api.example" }).client.isHttps, true);
  assert.equal(find("203.0.113.9", {}, { origin: "http://api.example" }).client.isHttps, false);
});

Deno.test("a connection is not asked for its other end before somebody wants to know", () => {
  let asked = 0;
  const connection = {
    get peer() {
      asked++;
      return "203.0.113.9";
    },
  };
  const client = createFindClient({ trusted: PROXIES, log: SILENT })(connection, new Headers());
  assert.equal(client.isHttps, false);
  assert.equal(asked, 0);
  assert.equal(client.address + client.network, "203.0.113.9203.0.113.9");
  assert.equal(asked, 1);
});
