import assert from "node:assert/strict";
import { ChangeWatch } from "@/plugins/dialects/mysql/change_watch.ts";

/** A server that counts, and how often its catalog is read. */
class CountingServer {
  count = 0;
  catalog = "a";
  reads = 0;
  denies = false;

  ask() {
    const denied = Object.assign(new Error("denied"), { errno: 1142 });
    if (this.denies) return Promise.reject(denied);
    return Promise.resolve({ rows: [["Com_alter_table", String(this.count)]], fields: [] });
  }

  fingerprint() {
    this.reads++;
    return Promise.resolve(this.catalog);
  }
}

async function watching(server: CountingServer): Promise<ChangeWatch> {
  const watch = new ChangeWatch(server);
  (await watch.begin())("a");
  return watch;
}

async function look(watch: ChangeWatch, times: number): Promise<void> {
  for (let round = 0; round < times; round++) assert.equal(await watch.hasChanged(), false);
}

Deno.test("mysql: a quiet server's catalog is read less and less often, and once in thirty looks", async () => {
  const server = new CountingServer();
  const watch = await watching(server);
  await look(watch, 1 + 2 + 4 + 8 + 16 + 30);
  assert.equal(server.reads, 6);
  await look(watch, 300);
  assert.equal(server.reads, 16);
});

Deno.test("mysql: a statement that counts long before it is through is noticed soon after", async () => {
  const server = new CountingServer();
  const watch = await watching(server);
  await look(watch, 100);
  server.count++;
  await look(watch, 3);
  server.catalog = "b";
  const changed: boolean[] = [];
  while (changed.at(-1) !== true) changed.push(await watch.hasChanged());
  assert.ok(changed.length <= 4, `It took ${changed.length} looks`);
});

Deno.test("mysql: a server that does not tell its counts is asked for its catalog", async () => {
  const server = new CountingServer();
  server.denies = true;
  const watch = await watching(server);
  await look(watch, 3);
  assert.equal(server.reads, 3);
  server.catalog = "b";
  assert.equal(await watch.hasChanged(), true);
});

Deno.test("mysql: nothing has changed of a catalog that was never read", async () => {
  assert.equal(await new ChangeWatch(new CountingServer()).hasChanged(), false);
});
