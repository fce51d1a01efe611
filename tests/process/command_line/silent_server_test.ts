import assert from "node:assert/strict";
import { startProcess } from "@/tests/support/process.ts";

Deno.test("a database server that accepts and says nothing holds up neither the start nor the stop", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) connections.push(connection);
  })();
  const databases = `Demo: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/demo.db"}
Silent: {db_type: postgresql, db_name: shop, db_host: 127.0.0.1, db_port: ${silent.addr.port}, autoload_user: {dbuser: a, dbpass: b}}
`;
  {
    await using service = await startProcess({
      files: { "config/databases.cfg": databases },
      args: ["--workers", "2"],
    });
    assert.doesNotMatch(
      await service.log(),
      /Database Silent\b.* is disconnected/,
      "it listens while it still connects",
    );
    const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.json");
    assert.equal(await answer.text(), '"Bergen"');
    const stopping = performance.now();
    assert.equal((await service.stop()).code, 0);
    assert.ok(performance.now() - stopping < 8000);
  }
  assert.notEqual(connections.length, 0);
  for (const connection of connections) connection.close();
  silent.close();
  await accepting;
});
