/** @module A database server without room says so: in the answer, the log, `/readyz` and `/metrics`. */

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { type OwnServer, startServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { makeServerDirectory, run } from "@/tests/support/servers/programs.ts";
import { until } from "@/tests/support/until.ts";
import { ADMIN, assertDocumented, MOUNTS } from "./faults.ts";

/** How the engines get a table without room. MariaDB ends itself when the disk of InnoDB is full. */
const ENGINES = {
  postgresql: { product: "PostgreSQL", fault: "a full disk of the server", mounts: true },
  mysql: { product: "MariaDB", fault: "a table without room", mounts: false },
} as const;

const NOTE = "CREATE TABLE note (id INT PRIMARY KEY, words TEXT)";
const EDITOR = { apikey: "editor-0123456789-0123456789-0123456789" };
/** Characters that no engine can pack well. */
const WORDS = () => Array.from({ length: 240 }, () => crypto.randomUUID()).join("");

function start(engine: keyof typeof ENGINES, server: OwnServer, name: string): Promise<TestProcess> {
  const login = { dbuser: server.user, dbpass: server.password };
  const place = { db_type: engine, db_host: server.host, db_port: server.port, db_name: name };
  return startProcess({
    files: {
      "config/users.cfg": stringify({ admin: ADMIN, editor: { ...EDITOR, databases: { Shop: login } } }),
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
        await server.exec(`${NOTE} TABLESPACE small;\n`, name);
      } else {
        const table = "CREATE TABLE note (id INT PRIMARY KEY, words VARCHAR(9000)) ENGINE = MEMORY;\n";
        await server.exec(`SET max_heap_table_size = 65536;\n${table}`, name);
      }
      await testFull(await start(engine, server, name), `${product}: ${fault}`);
    },
  });
}

Deno.test({
  name: "PostgreSQL: a damaged page is named, and other tables are served",
  ignore: whyNoOwnServer("postgresql") !== undefined,
  async fn() {
    await using server = await startServer("postgresql", { durable: true });
    const name = await server.createDatabase("damaged");
    await server.exec(`${NOTE};\nINSERT INTO note VALUES (1, 'x');\n`, name);
    await server.exec(
      "CREATE TABLE port (id INT PRIMARY KEY);\nINSERT INTO port VALUES (1);\nCHECKPOINT;\n",
      name,
    );
    const file = await server.exec("SHOW data_directory;\nSELECT pg_relation_filepath('note');\n", name);
    await server.kill();
    await damage(join(...file.trim().split("\n")));
    await server.restart();
    await using service = await start("postgresql", server, name);
    await assertFault(
      service,
      await service.fetch("/db/Shop/note.json", { headers: EDITOR }),
      "PostgreSQL: a damaged page",
    );
    const sound = await service.fetch("/db/Shop/port.json", { headers: EDITOR });
    assert.equal(sound.status, 200, await sound.text());
  },
});

/** Writes over the header of a table's first page. */
async function damage(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  await file.write(new Uint8Array(24).fill(0xee));
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
    return await service.fetch("/db/Shop/note.json", { method: "POST", headers, body });
  };
  const statusOf = async () => {
    const { status, body } = await create();
    await body?.cancel();
    return status;
  };
  assert.equal(await statusOf(), 201);
  await until(async () => await statusOf() !== 201);
  await assertFault(service, await create(), fault);
  const read = await service.fetch("/db/Shop/note/id/1/id.json", { headers: EDITOR });
  assert.deepEqual([read.status, await read.text()], [200, "1"], "what is there can be read");
}

async function assertFault(service: TestProcess, answer: Response, fault: string): Promise<void> {
  const text = await answer.text();
  assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, null], text);
  assert.match(text, /storage fails/);
  await assertDocumented(service, fault, {
    log: /ERROR Database Shop: its storage fails/,
    readyz: /^Shop: its storage fails/,
    metrics: /^rowhouse_database_faults_total.*storage.* [1-9]/,
  });
}
