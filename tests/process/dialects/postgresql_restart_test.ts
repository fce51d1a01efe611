import assert from "node:assert/strict";
import { startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import type { TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { serveDatabase } from "@/tests/api/dialects/postgresql_service.ts";

const WHY_NOT = whyNoOwnServer("postgresql");
const WRITERS = 8;
const READERS = 8;

/** The confirmations to callers: the ids of created records, and every status. */
interface Told {
  readonly created: number[];
  readonly statuses: Set<number>;
}

Deno.test({
  name: "a server that is killed under load loses no committed write, and the service recovers by itself",
  ignore: WHY_NOT !== undefined,
  async fn() {
    await using server = await startServer("postgresql", { durable: true });
    const dbName = await server.createDatabase("pg_restart");
    await server.exec("CREATE TABLE entry (id integer PRIMARY KEY, note text NOT NULL)", dbName);
    await using service = await serveDatabase(server, dbName, { definition: { pool: { max: 4 } } });
    const told: Told = { created: [], statuses: new Set() };
    let isOver = false;
    let next = 1;
    const load = [
      ...Array.from({ length: WRITERS }, () => repeat(() => write(service, next++, told), () => isOver)),
      ...Array.from({ length: READERS }, () => repeat(() => read(service, told), () => isOver)),
    ];

    try {
      for (let round = 0; round < 2; round++) {
        const before = told.created.length;
        await until(() => told.created.length > before + 50);
        await server.kill();
        told.statuses.delete(503);
        await until(() => told.statuses.has(503));
        await server.restart();
        const after = told.created.length;
        await until(() => told.created.length > after + 50);
      }
    } finally {
      isOver = true;
      await Promise.allSettled(load);
    }
    await Promise.all(load);

    const kept = (await server.exec("SELECT id FROM entry", dbName)).split("\n").map(Number);
    assert.deepEqual(
      told.created.filter((id) => !new Set(kept).has(id)),
      [],
      "Every write that was confirmed is there",
    );
    const unexpected = [...told.statuses].filter((status) => ![200, 201, 503, 504].includes(status));
    assert.deepEqual(unexpected, []);
    await until(async () => (await (await service.fetch("/db.json")).json())[0].status === "Connected");
    assert.doesNotMatch(await service.log(), /unhandled|uncaught/i);
  },
});

async function repeat(work: () => Promise<void>, isOver: () => boolean): Promise<void> {
  while (!isOver()) await work();
}

async function write(service: TestService, id: number, told: Told): Promise<void> {
  const response = await service.fetch("/db/Pg/entry.json", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, note: `Entry ${id}` }),
  });
  await note(response, told);
  if (response.status === 201) told.created.push(id);
}

async function read(service: TestService, told: Told): Promise<void> {
  await note(await service.fetch("/db/Pg/entry.json?limit=5&sort=-id&count"), told);
}

async function note(response: Response, told: Told): Promise<void> {
  const text = await response.text();
  told.statuses.add(response.status);
  if (response.status !== 503) return;
  assert.ok(response.headers.has("retry-after"), text);
  // Waits less than the answer says, but some time: the server needs the machine to start again.
  await new Promise((resolve) => setTimeout(resolve, 50));
}
