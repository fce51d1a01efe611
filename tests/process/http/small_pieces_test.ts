/** @module Bodies that are sent line by line: a server may give each line in a buffer of 64 KiB. */

import assert from "node:assert/strict";
import { mostMemory, startProcess } from "@/tests/support/process.ts";
import { statusOf } from "@/tests/support/status_of.ts";

/** Together as much as a login may have. */
const LINES = 16_000;
const LINE = "4\r\nab\r\n\r\n";

Deno.test({
  name: `a body of ${LINES} short pieces takes the memory of its bytes (deno)`,
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ args: ["--adapter", "deno"] });
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
    const answer = new Response(connection.readable).text();
    const head = "POST /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const bytes = new TextEncoder().encode(`${head}${LINE.repeat(LINES)}0\r\n\r\n`);
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
    assert.equal(await statusOf(service.fetch("/version.txt")), 200);
    assert.match(await answer, /^HTTP\/1\.1 400 /);
    const most = mostMemory(service);
    assert.ok(most < 500, `${bytes.length} bytes took ${most} MB`);
  },
});
