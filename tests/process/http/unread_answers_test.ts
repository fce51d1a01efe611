/**
 * @module Clients that ask for large answers and do not read them: their cost for
 * the service and for other clients.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { tell } from "@/tests/support/figures.ts";
import { descriptors, memory, startProcess, type TestProcess, workOf } from "@/tests/support/process.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { Http2Streams } from "@/tests/support/http2_streams.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";
import type { Figures } from "./ethernet_crowd.ts";

/** Bytes. One address may use a quarter. */
const MEMORY = 2 ** 26;
const CLIENTS = 60;
/** Some 5 MB, more than sockets keep. */
const LARGE = "/db/Demo/Ticket.json?depth=1";
/** Some 470 KB, which sockets keep: the service does not notice that nobody reads. */
const MIDDLING = "/db/Demo/Ticket.json?limit=900";
const VALUE = "/ui/raw/db/Large/Document/Id/1/Content";
const CROWD = 1000;
const ATTACKS = 2;
/**
 * Megabytes that may remain of an attack: with the adapter `node` malloc keeps 50 MB, in which answers were
 * encoded, for the next ones.
 */
const REMAINDER = 80;
/** Answers that one connection of HTTP/2 may have at a time. */
const STREAMS = 200;
/** Connections of HTTP/2 whose answers would be 900 MB. */
const MANY = 9;
/**
 * Megabytes of a process with a bound: 320 outside of the heap, 16 that count for one address, the heap and
 * its garbage. Measured without a bound: 1,100.
 */
const BOUNDED = 800;
const QUICK = "/db/Demo/Port/PortId/1/Name.json";

const files = {
  "config/service.ini": `[service]\nserver.answer_memory = ${MEMORY}\n`,
  // A crowd waits for the workers of SQLite, on a busy machine longer than usual.
  "config/databases.cfg":
    "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db', pool: {acquire_timeout: 60}}\n" +
    "Large: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/large.db'}\n",
  "config/users.cfg": "public: {databases: {Demo: {}, Large: {}}}\n",
};
const sqlite = {
  Large: `CREATE TABLE Document (Id INTEGER PRIMARY KEY, Content BLOB);
    INSERT INTO Document VALUES (1, zeroblob(6000000))`,
};
const services = {
  deno: shared(() => startProcess({ files, sqlite, args: ["--adapter", "deno"] })),
  node: shared(() => startProcess({ files, sqlite, args: ["--adapter", "node"] })),
};
/** Without earlier requests, which leave garbage. */
const rested = {
  deno: shared(() => startProcess({ files, sqlite, args: ["--adapter", "deno"] })),
  node: shared(() => startProcess({ files, sqlite, args: ["--adapter", "node"] })),
};

async function statusOf(service: TestService, path: string): Promise<number> {
  const answer = await service.fetch(path, { headers: { "Accept-Encoding": "identity" } });
  await answer.arrayBuffer();
  return answer.status;
}

for (const adapter of ["deno", "node"] as const) {
  const service = services[adapter];

  Deno.test(`a large answer has its length or is compressed (${adapter})`, async () => {
    const plain = await service().fetch(LARGE, { headers: { "Accept-Encoding": "identity" } });
    const text = await plain.text();
    assert.equal(Number(plain.headers.get("content-length")), new TextEncoder().encode(text).length);
    assert.ok(text.length > 5_000_000 && JSON.parse(text).length > 3000);
    const packed = await service().fetch(LARGE, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    assert.equal(packed.headers.get("content-length"), null);
    assert.equal(await packed.text(), text);
    assert.match(plain.headers.get("vary") ?? "", /accept-encoding/i);
  });

  Deno.test({
    name: `clients that read nothing take up a bounded memory, and it is free when they leave (${adapter})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      assert.equal(await statusOf(service(), LARGE), 200);
      const before = memory(service());
      const open = () => RawStream.open(service().port, LARGE);
      const streams = await Promise.all(Array.from({ length: CLIENTS }, open));
      try {
        const statuses = await Promise.all(streams.map((stream) => stream.readStatus()));
        assert.deepEqual(new Set(statuses), new Set([200, 503]));
        // One address has room for 16 MiB. A socket takes up to 4 of the 5 MB of an answer.
        const answered = statuses.filter((status) => status === 200).length;
        assert.ok(answered <= 16, `${answered} of ${CLIENTS} clients were answered`);
        const refused = streams.filter((_, index) => statuses[index] === 503);
        const texts = await Promise.all(refused.map((stream) => stream.readAll()));
        for (const text of texts) assert.match(text, /^retry-after: \d+\r$/im);
        assert.ok(texts.some((text) => text.includes("too many others wait to be taken by their clients")));
        assert.equal(await statusOf(service(), QUICK), 200);
        const growth = memory(service()) - before;
        assert.ok(growth < 400, `${CLIENTS} clients took ${growth} MB`);
      } finally {
        for (const stream of streams) stream[Symbol.dispose]();
      }
      await until(async () => await statusOf(service(), LARGE) === 200);
      assert.doesNotMatch(await service().log(), /ERROR/);
    },
  });

  Deno.test({
    name: `attack: clients that read nothing of a large value take up a bounded memory (${adapter})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      assert.equal(await statusOf(service(), VALUE), 200);
      const streams = await Promise.all(
        Array.from({ length: CLIENTS }, () => RawStream.open(service().port, VALUE)),
      );
      try {
        const statuses = await Promise.all(streams.map((stream) => stream.readStatus()));
        assert.deepEqual(new Set(statuses), new Set([200, 503]));
        const answered = statuses.filter((status) => status === 200).length;
        assert.ok(answered <= 16, `${answered} of ${CLIENTS} clients were answered`);
      } finally {
        for (const stream of streams) stream[Symbol.dispose]();
      }
      await until(async () => await statusOf(service(), VALUE) === 200);
    },
  });

  Deno.test({
    name:
      `a crowd that reads nothing of smaller answers costs 400 MB at most, and leaves nothing (${adapter})`,
    ignore: Deno.build.os !== "linux",
    async fn(t) {
      const service = rested[adapter]();
      assert.equal(await statusOf(service, MIDDLING), 200);
      const [megabytes, descriptorsBefore] = [memory(service), descriptors(service)];
      // What one attack leaves would add up.
      for (let attack = 0; attack < ATTACKS; attack++) {
        const cost = await sendCrowd(service, megabytes);
        const left = performance.now();
        await until(() => descriptors(service) <= descriptorsBefore + 2);
        await until(() => memory(service) < megabytes + REMAINDER);
        const seconds = (performance.now() - left) / 1000;
        await tell(t, `${cost}; free after ${seconds.toFixed(1)} s, ${memory(service).toFixed(0)} MB left`);
      }
      assert.doesNotMatch(await service.log(), /ERROR/);
    },
  });
}

/**
 * Clients that ask and read nothing; they leave at the end. `megabytes`: the memory before. Returns what
 * they have cost.
 */
async function sendCrowd(service: TestProcess, megabytes: number): Promise<string> {
  const streams: RawStream[] = [];
  let longest = 0;
  try {
    while (streams.length < CROWD) {
      const more = await Promise.all(
        Array.from({ length: 100 }, () => RawStream.open(service.port, MIDDLING)),
      );
      streams.push(...more);
      const begun = workOf(service);
      const wait = await waitOf(service);
      // More connections than the system keeps for a busy process would wait for
      // seconds until they are tried again.
      const statuses = await Promise.all(more.map((stream) => stream.readStatus()));
      assert.deepEqual(new Set(statuses), new Set([200]));
      assertPasses(wait, workOf(service) - begun);
      longest = Math.max(longest, wait);
    }
    const growth = memory(service) - megabytes;
    assert.ok(growth < 400, `${CROWD} clients took ${growth} MB`);
    return `from ${megabytes.toFixed(0)} MB ${growth.toFixed(0)} MB more, waits of ${
      longest.toFixed(0)
    } ms at most`;
  } finally {
    for (const stream of streams) stream[Symbol.dispose]();
  }
}

/** Milliseconds of other work before a record by key. */
async function waitOf(service: TestProcess): Promise<number> {
  const before = workOf(service);
  assert.equal(await statusOf(service, QUICK), 200);
  return workOf(service) - before;
}

/** A record by key does not wait behind a crowd. `wait`, `work`: milliseconds, of the crowd for `work`. */
function assertPasses(wait: number, work: number): void {
  assert.ok(wait < work / 2, `A record by key had to wait for ${wait} of ${work} ms of other work`);
}

Deno.test({
  name: "200 streams of one HTTP/2 connection that takes nothing cost 400 MB at most (deno)",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    const service = services.deno();
    assert.equal(await statusOf(service, MIDDLING), 200);
    const [megabytes, files] = [memory(service), descriptors(service)];
    let [growth, longest] = [0, 0];
    {
      const begun = workOf(service);
      using client = await Http2Streams.open(service.port, MIDDLING, STREAMS);
      await until(async () => {
        longest = Math.max(longest, await waitOf(service));
        return client.answered === STREAMS;
      });
      assertPasses(longest, workOf(service) - begun);
      // The server lets no further one begin before one of them has ended.
      await client.ask(MIDDLING);
      assert.equal(await statusOf(service, QUICK), 200);
      assert.equal(client.answered, STREAMS);
      growth = memory(service) - megabytes;
      assert.ok(growth < 400, `${STREAMS} streams took ${growth} MB`);
    }
    const left = performance.now();
    await until(() => descriptors(service) <= files + 2 && memory(service) < megabytes + REMAINDER);
    const seconds = (performance.now() - left) / 1000;
    await tell(
      t,
      `from ${megabytes.toFixed(0)} MB ${growth.toFixed(0)} MB more, waits of ${
        longest.toFixed(0)
      } ms at most; ` +
        `free after ${seconds.toFixed(1)} s, ${memory(service).toFixed(0)} MB left`,
    );
    assert.equal(await statusOf(service, MIDDLING), 200);
    assert.doesNotMatch(await service.log(), /ERROR/);
  },
});

Deno.test({
  name: "any number of HTTP/2 connections that take nothing costs a bounded memory (deno)",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    const service = services.deno();
    const clients: Http2Streams[] = [];
    const statuses = new Set<number>();
    try {
      while (clients.length < MANY) {
        const client = await Http2Streams.open(service.port, MIDDLING, STREAMS);
        clients.push(client);
        await until(() => client.answered === STREAMS);
        assert.equal(await statusOf(service, QUICK), 200);
        statuses.add(await statusOf(service, MIDDLING));
      }
      const megabytes = memory(service);
      assert.ok(megabytes < BOUNDED, `${MANY} connections took ${megabytes} MB`);
      assert.deepEqual(statuses, new Set([200, 503]));
      await tell(t, `${megabytes.toFixed(0)} MB in all`);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    await until(async () => await statusOf(service, MIDDLING) === 200);
    assert.doesNotMatch(await service.log(), /ERROR/);
  },
});

function canMakeLinks(): boolean {
  try {
    const args = ["-Urn", "ip", "link", "add", "type", "veth"];
    return new Deno.Command("unshare", { args }).outputSync().success;
  } catch {
    return false;
  }
}

const canMake = canMakeLinks();

Deno.test({
  name: `a crowd behind an Ethernet link costs 400 MB at most (node)${
    canMake ? "" : ": no network namespaces"
  }`,
  ignore: !canMake,
  async fn(t) {
    const program = join(import.meta.dirname ?? "", "ethernet_crowd.ts");
    const args = ["-Urn", Deno.execPath(), "run", "-A", "--no-check", program, "near", "node", MIDDLING];
    const { stdout, success } = await new Deno.Command("unshare", { args, stderr: "inherit" }).output();
    assert.ok(success);
    const { before, during, statuses }: Figures = JSON.parse(new TextDecoder().decode(stdout));
    assert.deepEqual(Object.keys(statuses).filter((status) => status !== "503"), ["200"]);
    const growth = during - before;
    assert.ok(growth < 400, `It took ${growth} MB`);
    await tell(
      t,
      `from ${before.toFixed(0)} MB ${growth.toFixed(0)} MB more; ${statuses["200"]} were answered`,
    );
  },
});

Deno.test("a client that begins with HTTP/2 is closed (node)", async () => {
  const service = services.node();
  using client = await Http2Streams.open(service.port, QUICK, 0);
  await client.ended;
  assert.equal(client.answered, 0);
  assert.equal(await statusOf(service, QUICK), 200);
});
