import assert from "node:assert/strict";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProcess } from "@/tests/support/process.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { inTime, until } from "@/tests/support/until.ts";

const RECORD = "/db/Demo/Port/PortId/1/Name.json";
const ENDLESS =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) SELECT count(*) AS c FROM n";

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`a service that drains says so, and still answers (${adapter})`, async () => {
    await using service = await startProcess({
      files: { "config/service.ini": "[service]\nserver.drain = 2\n" },
      args: ["--adapter", adapter, "--workers", "2"],
    });
    assert.equal(
      (await service.fetch(RECORD)).headers.get("connection"),
      adapter === "deno" ? null : "keep-alive",
    );
    const stopped = service.stop();
    const began = performance.now();
    await until(async () => {
      const ready = await service.fetch("/readyz");
      return ready.status === 503 && await ready.text() === "not ready\nthe service is about to stop\n";
    });
    for (let round = 0; round < 10; round++) {
      const answer = await service.fetch(RECORD);
      assert.deepEqual([answer.status, answer.headers.get("connection")], [200, "close"]);
      assert.equal(await answer.text(), '"Bergen"');
    }
    assert.equal((await stopped).code, 0);
    assert.ok(performance.now() - began > 1900);
  });

  Deno.test(`headers that have come by half hold up no stop (${adapter})`, async () => {
    await using service = await startProcess({
      files: { "config/service.ini": "[service]\nserver.grace = 3600\n" },
      args: ["--adapter", adapter],
    });
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: local"));
    // Its connection is accepted before this one.
    await (await service.fetch(RECORD)).text();
    assert.equal((await inTime(service.stop(), "The end of the service")).code, 0);
  });

  Deno.test(`start and stop are lines of the log, with what was cut off after server.grace (${adapter})`, async () => {
    const query = { database: "Demo", sqlstr: ENDLESS, execute: ["public"] };
    await using service = await startProcess({
      files: {
        "config/service.ini": "[service]\nserver.grace = 1\nserver.max_connections = 50\n",
        "config/querydefs.cfg": stringify({ endless: query }),
      },
      args: ["--adapter", adapter],
    });
    const { home, port } = service;
    const place = [
      `configuration ${join(home, "config")}`,
      `state ${join(home, "state")}`,
      `log ${join(home, "log")}`,
    ];
    const line =
      `Version [0-9.]+ on Deno [0-9.]+ serves http://127.0.0.1:${port}/; adapter ${adapter}, 1 worker; ` +
      `${
        place.join(", ")
      }; in each worker at most 50 connections, \\d+ bytes of answers and \\d+ bytes of bodies\n`;
    assert.match(await service.log(), new RegExp(`^\\S+ INFO ${line}`));
    using _stream = await RawStream.open(port, "/query/endless.json");
    await until(async () =>
      /^rowhouse_requests_running\b.* 1$/m.test(await (await service.fetch("/metrics")).text())
    );
    assert.equal((await service.stop()).code, 0);
    const lines = (await service.log()).trimEnd().split("\n").map((each) => each.replace(/^\S+ /, ""));
    assert.deepEqual(lines.slice(-2), [
      "INFO The service stops: SIGTERM",
      "INFO The service has stopped; requests that were running: 1, cut off: 1",
    ]);
  });
}
