import assert from "node:assert/strict";
import { join } from "node:path";
import plugin from "@/plugins/caches/redis/mod.ts";
import { placeAt } from "@/plugins/caches/redis/place.ts";
import { Redis } from "@/plugins/caches/redis/redis.ts";
import { testCache } from "@/tests/conformance/cache.ts";
import { BadServer } from "@/tests/support/bad_server.ts";
import { NO_REDIS, startRedis, type TestRedis } from "@/tests/support/redis.ts";
import { findProgram, freePort, run } from "@/tests/support/servers/programs.ts";
import { shared } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { answerText, testBadServers } from "./bad_servers.ts";

const LIFE = { seconds: 60 };
const HOST = { log: { info: () => {}, warn: () => {}, error: () => {} }, directory: "/" };
const { open } = plugin.setup({}, HOST);
const WRONG = [
  "redis://cache.example:65536",
  "127.0.0.1:6379",
  "http://127.0.0.1:6379",
  "redis://",
  "redis://:secret@",
  "redis://127.0.0.1:port",
  "redis://user:secret@127.0.0.1/database",
  "redis://:secret%zz@127.0.0.1",
  "redis://:secret@127.0.0.1?ca=/etc/ca.pem",
  "rediss://:secret@127.0.0.1?ca=/nowhere/ca.pem",
];

function redisTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: NO_REDIS ? `${name} (ignored: ${NO_REDIS})` : name, ignore: NO_REDIS !== undefined, fn });
}

const server: () => TestRedis = shared(() => startRedis(), NO_REDIS);

testCache("redis", () => plugin, {
  location: () => server().address,
  nowhere: `redis://:secret@127.0.0.1:${freePort()}`,
  wrong: WRONG,
  secrets: ["secret"],
  server,
  missing: NO_REDIS,
});

Deno.test("a location names host, port, number, user and password, percent-encoded or not", () => {
  const plain = { host: "h", port: 6379, isEncrypted: false, database: 0 };
  const cases: readonly [location: string, place: object][] = [
    ["redis://h", plain],
    ["redis://h/", plain],
    ["redis://h:1/15", { ...plain, port: 1, database: 15 }],
    ["redis://[::1]:1", { ...plain, host: "::1", port: 1 }],
    ["rediss://h?ca=ca.pem", { ...plain, isEncrypted: true, caFile: "ca.pem" }],
    ["redis://:p@h", { ...plain, password: "p" }],
    ["redis://u:@h", { ...plain, user: "u" }],
    ["redis://u:p%40%2F%3A%25@h", { ...plain, user: "u", password: "p@/:%" }],
    ["redis://u:p@ss:w/o#r?d@h:1/2", { ...plain, user: "u", password: "p@ss:w/o#r?d", port: 1, database: 2 }],
  ];
  for (const [location, place] of cases) assert.deepEqual(placeAt(location), place, location);
});

const PASSWORD = "p@ss:w/ö#r?d %41 \"'";

redisTest("a user and a password with special characters are sent as they are", async () => {
  const acl = ["--user", "anna", "on", `>${PASSWORD}`, "~rowhouse:*", "+@all", "--requirepass", "other"];
  await using own = await startRedis({ args: acl, login: { password: "other" } });
  const at = (user: string) => `redis://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${own.port}`;
  await using cache = await open(at("anna"));
  assert.equal(await cache.add("rowhouse:k", "v", LIFE), true);
  await assert.rejects(cache.add("other:k", "v", LIFE), /It refuses SET: NOPERM/);
  await using wrong = await open(at("bert"));
  await assert.rejects(wrong.get("rowhouse:k"), {
    message: "It refuses the user or the password: WRONGPASS",
  });
  await using none = await open(`redis://127.0.0.1:${own.port}`);
  await assert.rejects(none.get("rowhouse:k"), /NOAUTH/);
});

redisTest("a server without AUTH repeats the password, and the plugin does not", async () => {
  await using own = await startRedis({
    args: ["--rename-command", "AUTH", "", "--rename-command", "EVAL", ""],
  });
  await using cache = await open(`redis://u:open-sesame@127.0.0.1:${own.port}`);
  await assert.rejects(cache.get("k"), { message: "It refuses the user or the password: ERR" });
  await using other = await open(own.address);
  await assert.rejects(other.replace("k", "open-sesame", { ...LIFE, version: "x" }), {
    message: "It refuses EVAL: ERR unknown command 'EVAL'",
  });
});

redisTest("databases of one server are apart, and one that is not there is an error", async () => {
  await using zero = await open(server().address);
  await using one = await open(`${server().address}/1`);
  await zero.add("apart", "0", LIFE);
  assert.equal(await one.add("apart", "1", LIFE), true);
  assert.equal((await zero.get("apart"))?.value, "0");
  await using none = await open(`${server().address}/999`);
  await assert.rejects(none.add("apart", "2", LIFE), /It refuses database 999: ERR DB index is out of range/);
});

redisTest("a key with a value of another program is an error", async () => {
  await using cache = await open(server().address);
  await server().command("SET", "foreign", "text");
  await server().command("LPUSH", "list", "text");
  await assert.rejects(cache.get("foreign"), { message: "It has a value that is not of this service" });
  await assert.rejects(cache.get("list"), /It refuses GET: WRONGTYPE/);
});

redisTest("refusals, as of a server that is full, leave the connection to other requests", async () => {
  await using own = await startRedis({ args: ["--maxmemory", "1", "--maxmemory-policy", "noeviction"] });
  await using cache = await open(own.address);
  assert.equal(await cache.get("k"), undefined);
  const connections = async () =>
    /total_connections_received:(\d+)/.exec(String(await own.command("INFO")))?.[1];
  const before = Number(await connections());
  const [added, ...read] = await Promise.allSettled([
    cache.add("k", "v", LIFE),
    ...Array.from({ length: 20 }, () => cache.get("k")),
  ]);
  assert.match(String(added.status === "rejected" && added.reason), /It refuses SET: OOM/);
  assert.deepEqual(new Set(read.map(({ status }) => status)), new Set(["fulfilled"]));
  assert.equal(Number(await connections()), before + 1, "only that of the test");
});

redisTest("a server that takes no writes any more is asked on a new connection", async () => {
  await using own = await startRedis();
  await using cache = await open(own.address);
  await cache.add("k", "v", LIFE);
  await own.command("REPLICAOF", "127.0.0.1", "1");
  const clients = async () =>
    [...String(await own.command("CLIENT", "LIST")).matchAll(/^id=\d+/gm)].map(([id]) => id);
  const [first = ""] = await clients();
  await assert.rejects(cache.add("l", "v", LIFE), /It refuses SET: READONLY/);
  await until(async () => !(await clients()).includes(first));
});

redisTest("sessions outlive a restart of a server that keeps its data", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await using own = await startRedis({ args: ["--appendonly", "yes", "--dir", directory] });
    await using cache = await open(own.address);
    await cache.add("k", "v", LIFE);
    const version = (await cache.get("k"))?.version ?? "";
    await own.restart();
    assert.equal(await cache.replace("k", "w", { ...LIFE, version }), true);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

const NO_TLS = NO_REDIS ?? (findProgram("openssl") ? undefined : "openssl is not installed");

Deno.test({
  name: "TLS: a certificate must be of the authority and of the host; a server without TLS is an error",
  ignore: NO_TLS !== undefined,
  async fn() {
    const directory = await Deno.makeTempDir();
    const at = (name: string) => join(directory, name);
    const openssl = (words: string) => run(["openssl", ...words.split(/\s+/)]);
    try {
      await openssl(`req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=Authority
        -keyout ${at("ca.key")} -out ${at("ca.pem")}`);
      await openssl(`req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout ${at("key")} -out ${at("csr")}`);
      await Deno.writeTextFile(at("ext"), "subjectAltName=DNS:localhost");
      await openssl(`x509 -req -in ${at("csr")} -CA ${at("ca.pem")} -CAkey ${at("ca.key")} -CAcreateserial
        -days 2 -extfile ${at("ext")} -out ${at("pem")}`);
      const files = [
        "--tls-cert-file",
        at("pem"),
        "--tls-key-file",
        at("key"),
        "--tls-ca-cert-file",
        at("ca.pem"),
      ];
      const ca = await Deno.readTextFile(at("ca.pem"));
      await using own = await startRedis({ args: [...files, "--tls-auth-clients", "no"], ca });
      await using cache = await open(`rediss://localhost:${own.port}?ca=${at("ca.pem")}`);
      assert.equal(await cache.add("k", "v", LIFE), true);
      await using stranger = await open(`rediss://localhost:${own.port}`);
      await assert.rejects(stranger.get("k"), /certificate/i);
      await using misnamed = await open(`rediss://127.0.0.1:${own.port}?ca=${at("ca.pem")}`);
      await assert.rejects(misnamed.get("k"), /certificate|127\.0\.0\.1/i);
      await using plain = await open(`redis://localhost:${own.port}`);
      await assert.rejects(plain.get("k"));
      await using encrypted = await open(`rediss://localhost:${server().port}?ca=${at("ca.pem")}`);
      await assert.rejects(encrypted.get("k"));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

testBadServers("Redis", [
  ["sends half an answer", answerText("$5\r\nab")],
  ["speaks another protocol", answerText("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["sends a line without end", answerText(`+${"x".repeat(70_000)}`)],
  ["sends a value without end", answerText("$99999999999\r\n")],
  ["sends a length that is none", answerText("$one\r\n")],
  ["sends more than it says", answerText("$1\r\nabc\r\n")],
  ["sends a list", answerText("*1\r\n:1\r\n")],
  ["answers something nobody asked", answerText("-ERR one\r\n$-1\r\n")],
  ["refuses", answerText("-ERR no\r\n")],
], { open: (address) => new Redis(placeAt(`redis://${address}`), 50), version: "x" });

Deno.test("answers come in any pieces", async () => {
  const text = "$41\r\n00000000-0000-0000-0000-000000000000 ä\r\n\r\n";
  await using bad = new BadServer(async (connection) => {
    await connection.read(new Uint8Array(1000));
    for (const byte of new TextEncoder().encode(text)) await connection.write(Uint8Array.of(byte));
  });
  await using cache = new Redis(placeAt(`redis://${bad.address}`), 10_000);
  assert.equal((await cache.get("k"))?.value, "ä\r\n");
});
