import assert from "node:assert/strict";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { type TestServer, useServer } from "@/tests/support/servers/mod.ts";
import { startProcess } from "@/tests/support/process.ts";
import type { TestService } from "@/tests/support/service.ts";
import { isMariadb, noServer } from "@/tests/unit/plugins/dialects/mysql/fixture.ts";
import { type Kind, KINDS, MARIADB_KINDS } from "@/tests/support/type_cases/mysql.ts";

/** A table for each type: `id` counts its values from 0, and the last row has NULL. */
function tableOf(name: string, { type, values }: Kind): string {
  const rows = [...values.map(([sql], id) => `(${id}, ${sql})`), `(${values.length}, NULL)`];
  return `CREATE TABLE \`${name}\` (id INT PRIMARY KEY, value ${type} NULL) CHARSET utf8mb4;
    INSERT INTO \`${name}\` VALUES ${rows.join(", ")};`;
}

/** The types of this server: MySQL lacks some. */
const HERE: Readonly<Record<string, Kind>> = { ...KINDS, ...(await hasAll() ? MARIADB_KINDS : {}) };

/** Without a server the tests are registered as ignored. */
async function hasAll(): Promise<boolean> {
  return noServer !== undefined || await isMariadb(await useServer("mysql"));
}

const KEY = "types-0123456789-0123456789-0123456789";

function filesOf(server: TestServer, database: string): Readonly<Record<string, string>> {
  const { user: dbuser, password: dbpass } = server;
  return {
    "config/databases.cfg": stringify({
      D: { ...addressOf(server), db_name: database },
    }),
    "config/users.cfg": stringify({
      types: { apikey: KEY, databases: { D: { dbuser, dbpass } } },
    }),
  };
}

interface Running {
  readonly server: TestServer;
  readonly database: string;
  readonly service: TestService;
}

async function start(zone: string): Promise<Running> {
  const server = await useServer("mysql");
  const database = await server.createDatabase(`mysql_types_${crypto.randomUUID().slice(0, 8)}`);
  const tables = Object.entries(HERE).map(([name, kind]) => tableOf(name, kind)).join("\n");
  await server.exec(`SET SESSION sql_mode = '', time_zone = '+00:00'; ${tables}`, database);
  const service = await startProcess({ files: filesOf(server, database), env: { TZ: zone } });
  return { server, database, service };
}

/** Far from UTC; off by half an hour, and with clocks that change within the values. */
for (const zone of ["Pacific/Kiritimati", "America/St_Johns"]) {
  let running: Running | undefined;
  Deno.test.beforeAll(async () => {
    if (noServer === undefined) running = await start(zone);
  });
  Deno.test.afterAll(async () => {
    await running?.service[Symbol.asyncDispose]();
    await running?.server.dropDatabase(running.database);
  });
  for (const [name, kind] of Object.entries(HERE)) {
    testKind(zone, { name, kind, running: () => running });
  }
}

interface Subject {
  readonly name: string;
  readonly kind: Kind;
  running(): Running | undefined;
}

function testKind(zone: string, { name, kind, running }: Subject): void {
  const test = (title: string, fn: (running: Running) => Promise<void>) =>
    Deno.test({
      name: `mysql in ${zone}: ${kind.type}: ${title}${noServer === undefined ? "" : ` (${noServer})`}`,
      ignore: noServer !== undefined,
      async fn() {
        const current = running();
        assert.ok(current, "The service is there only while tests run");
        await fn(current);
      },
    });

  test("values are shown with every digit", async (current) => {
    const { text } = await send(current, `/db/D/${name}/value.json`);
    const shown = [...kind.values.map(([, json]) => json), "null"];
    assert.equal(text, `[\n    ${shown.join(",\n    ")}\n]`);
  });

  test("a stream shows what a list does", async (current) => {
    for (const extension of ["json", "csv"]) {
      const { text } = await send(current, `/db/D/${name}.${extension}`);
      assert.equal((await send(current, `/db/D/${name}.${extension}?stream`)).text, text);
    }
  });

  test("filters find what they name", async (current) => {
    for (const [filter, ids] of Object.entries(kind.filters)) {
      const { text } = await send(current, `/db/D/${name}/value/${filter}/id.json`);
      assert.deepEqual(JSON.parse(text), ids, filter);
    }
  });

  test("the order of the server is the order of the list", async (current) => {
    const { text } = await send(current, `/db/D/${name}/id.json?sort=value`);
    const ordered = await current.server.exec(
      `SELECT id FROM \`${name}\` ORDER BY value, id;`,
      current.database,
    );
    assert.deepEqual(JSON.parse(text), ordered.trim().split("\n").map(Number));
  });

  for (const format of ["json", "xml", "csv"]) {
    test(`what was read as ${format} is written unchanged`, async (current) => {
      const path = `/db/D/${name}.${format}?csvNullStr`;
      const { text } = await send(current, path);
      assert.equal((await send(current, `/db/D/${name}?all`, { method: "DELETE" })).status, 204);
      const written = await send(current, path, { method: "POST", body: new TextEncoder().encode(text) });
      assert.equal(written.status, 201, written.text);
      assert.equal((await send(current, path)).text, text);
    });
  }
}

async function send(
  { service }: Running,
  path: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await service.fetch(path, { ...init, headers: { apikey: KEY } });
  return { status: response.status, text: await response.text() };
}
