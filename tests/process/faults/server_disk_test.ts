/** @module A database server without room says so: in the answer, the log, `/readyz` and `/metrics`. */

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { type OwnServer, startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { makeServerDirectory, run } from "@/tests/support/servers/programs.ts";
import { until } from "@/tests/support/until.ts";
import { assertDocumented, MOUNTS } from "./faults.ts";

/** How the engines get a table without room. MariaDB ends itself when the disk of InnoDB is full. */
const ENGINES = {
  postgresql: { product: "PostgreSQL", fault: "a full disk of the server", mounts: true },
  mysql: { product: "MariaDB", fault: "a table without room", mounts: false },
} as const;

const EDITOR = { apikey: "editor-0123456789-0123456789-0123456789" };
/** Characters that no engine can pack well. */
const WORDS = () => Array.from({ length: 240 }, () => crypto.randomUUID()).join("");

function start(engine: keyof typeof ENGINES, server: OwnServer, name: string): Promise<TestProcess> {
  const login = { dbuser: server.user, dbpass: server.password };
  const place = { db_type: engine, db_host: server.host, db_port: server.port, db_name: name };
  return startProcess({
    files: {
      "config/users.cfg": stringify({ editor: { ...EDITOR, databases: { Shop: login } } }),
      "config/databases.cfg": stringify({ Shop: { ...place, autoload_user: login } }),
    },
  });
}

for (const engine of ["postgresql", "mysql"] as const) {
  const { product, fault, mounts } = ENGINES[engine];
  const reason = whyNoOwnServer(engine) ?? (mounts && !MOUNTS ? "only root may mount" : undefined);
  Deno.test({
    name: `${product}: ${fault} is named${reason === undefined ? "" : ` (${reason})`}`,
    ignore: reason !== undefined,
    async fn() {
      await using disk = mounts ? await mountSmall() : undefined;
      await using server = await startServer(engine);
      const name = await server.createDatabase("full");
      if (disk) {
        await server.exec(`CREATE TABLESPACE small LOCATION '${disk.directory}';\n`);
        await server.exec("CREATE TABLE note (id INT PRIMARY KEY, words TEXT) TABLESPACE small;\n", name);
      } else {
        const table = "CREATE TABLE note (id INT PRIMARY KEY, words VARCHAR(9000)) ENGINE = MEMORY;\n";
        await server.exec(`SET max_heap_table_size = 65536;\n${table}`, name);
      }
      await testFull(await start(engine, server, name), `${product}: ${fault}`);
    },
  });
}

/** A small disk for the user that servers run as. */
async function mountSmall(): Promise<AsyncDisposable & { readonly directory: string }> {
  const directory = join(tmpdir(), `rowhouse-small-${crypto.randomUUID()}`);
  await makeServerDirectory(directory);
  const { uid } = await Deno.stat(directory);
  await run(["mount", "-t", "tmpfs", "-o", `size=1m,mode=700,uid=${uid}`, "none", directory]);
  return {
    directory,
    async [Symbol.asyncDispose]() {
      await run(["umount", "-l", directory]);
      await Deno.remove(directory);
    },
  };
}

async function testFull(service: TestProcess, fault: string): Promise<void> {
  await using _service = service;
  let id = 0;
  const create = async () => {
    const headers = { ...EDITOR, "Content-Type": "application/json" };
    const body = JSON.stringify({ id: ++id, words: WORDS() });
    const answer = await service.fetch("/db/Shop/note.json", { method: "POST", headers, body });
    return { status: answer.status, wait: answer.headers.get("Retry-After"), text: await answer.text() };
  };
  assert.equal((await create()).status, 201);
  await until(async () => (await create()).status !== 201);
  const { status, wait, text } = await create();
  assert.deepEqual([status, wait], [503, null], text);
  assert.match(text, /storage fails/);
  await assertDocumented(service, fault, {
    log: /ERROR Database Shop: its storage fails/,
    readyz: /^Shop: its storage fails/,
    metrics: /^rowhouse_database_faults_total.*storage.* [1-9]/,
  });
  const read = await service.fetch("/db/Shop/note/id/1/id.json", { headers: EDITOR });
  assert.deepEqual([read.status, await read.text()], [200, "1"], "what is there can be read");
}
