import assert from "node:assert/strict";
import { descriptors, memory, startProcess } from "@/tests/support/process.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";

const services = {
  deno: shared(() => startProcess({ args: ["--adapter", "deno"] })),
  node: shared(() => startProcess({ args: ["--adapter", "node"] })),
};

/** The biggest table, several megabytes as XML: more than sockets and pipes keep. */
const BIG = "/db/Demo/Ticket.xml?stream";
const QUICK = "/db/Demo/Port/PortId/1/Name.json";

/** A client that leaves after the first piece of its answer. */
async function leaveEarly({ port }: TestService): Promise<void> {
  using stream = await RawStream.open(port, BIG);
  assert.equal(await stream.readSome(), true);
}

/** Asks until the service's work behind its answers is done; the last look is asserted. */
async function until(service: TestService, isDone: () => boolean): Promise<boolean> {
  for (let attempt = 0; attempt < 200 && !isDone(); attempt++) {
    await (await service.fetch(QUICK)).text();
  }
  return isDone();
}

const isLinux = Deno.build.os === "linux";

for (const [adapter, service] of Object.entries(services)) {
  Deno.test({
    name: `clients that leave in the middle of a stream free their files (${adapter})`,
    ignore: !isLinux,
    async fn() {
      const leaveTogether = () => Promise.all(Array.from({ length: 6 }, () => leaveEarly(service())));
      // The first clients make the service start workers, which it keeps for a while.
      for (let round = 0; round < 3; round++) await leaveTogether();
      await until(service(), () => false);
      const before = descriptors(service());
      for (let round = 0; round < 10; round++) await leaveTogether();
      const isFreed = await until(service(), () => descriptors(service()) <= before + 2);
      assert.equal(isFreed, true, `${descriptors(service())} open files, ${before} before`);
    },
  });

  Deno.test(`the service works on after clients have left (${adapter})`, async () => {
    assert.equal(await (await service().fetch(QUICK)).text(), '"Bergen"');
    const whole = await (await service().fetch("/db/Demo/Ticket.csv?stream")).text();
    const count = (await service().fetch("/db/Demo/Ticket.json?count&limit=0", { method: "HEAD" })).headers;
    assert.equal(whole.split("\r\n").length - 2, Number(count.get("rowhouse-all-record-count")));
    assert.doesNotMatch(await service().log(), /ERROR/, "leaving is no failure of the service");
  });

  Deno.test({
    name: `memory stays bounded while the biggest table is streamed again and again (${adapter})`,
    ignore: !isLinux,
    async fn() {
      const stream = async (times: number) => {
        for (let round = 0; round < times; round++) {
          const answer = await service().fetch(BIG, { headers: { "Accept-Encoding": "identity" } });
          for await (const piece of answer.body ?? []) assert.notEqual(piece.length, 0);
        }
      };
      await stream(10);
      const before = memory(service());
      await stream(25);
      assert.equal(memory(service()) - before < 60, true, `from ${before} MB to ${memory(service())} MB`);
    },
  });

  Deno.test(`a slow reader holds up nobody else (${adapter})`, async () => {
    using slow = await RawStream.open(service().port, BIG);
    await slow.readSome();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service().fetch(QUICK)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.deepEqual(new Set(texts), new Set(['"Bergen"']));
  });

  Deno.test(`a stream in flight is finished when the service stops (${adapter})`, async () => {
    await using own = await startProcess({ args: ["--adapter", adapter] });
    using stream = await RawStream.open(own.port, BIG);
    await stream.readSome();
    const stopped = own.stop();
    const text = await stream.readAll();
    assert.equal(text.endsWith("\r\n0\r\n\r\n"), true, "the last chunk came");
    assert.match(text, /<\/Rowhouse>\s*\r\n0\r\n\r\n$/);
    assert.equal((await stopped).code, 0);
  });
}
