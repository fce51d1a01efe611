import assert from "node:assert/strict";
import { testOn } from "@/tests/support/databases/mod.ts";
import { ROOT } from "@/tests/support/root.ts";
import { until } from "@/tests/support/until.ts";
import {
  SERVER_DIALECTS,
  type ServerDialect,
  startServer,
  useServer,
  whyNoOwnServer,
} from "@/tests/support/servers/mod.ts";

/** Statements that compute for hours; they do not notice that the server has gone. */
const BUSY = {
  postgresql: "SELECT count(*) FROM generate_series(1, 1e12);",
  mysql: "SELECT benchmark(1e12, md5('x'));",
  mssql: "",
};
/** The number of such statements. */
const RUNNING = {
  postgresql: "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%1e12%'" +
    " AND pid <> pg_backend_pid();",
  mysql:
    "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%1e12%' AND id <> connection_id();",
  mssql: "",
};

for (const dialect of SERVER_DIALECTS) {
  testOn(dialect, "a server runs scripts in databases of the test's own", async () => {
    await using server = await useServer(dialect);
    const database = await server.createDatabase("servers_test");
    await server.exec("CREATE TABLE T (N INTEGER); INSERT INTO T VALUES (1), (2);", database);
    assert.equal(await server.exec("SELECT N FROM T ORDER BY N;", database), "1\n2\n");
    await server.dropDatabase(database);
    await assert.rejects(server.exec("SELECT N FROM T;", database));
  });

  testOn(dialect, "a script stops at the first statement that fails", async () => {
    await using server = await useServer(dialect);
    const database = await server.createDatabase("servers_test");
    await assert.rejects(
      server.exec("CREATE TABLE A (N INTEGER); SELECT nothing; CREATE TABLE B (N INTEGER);", database),
    );
    await assert.rejects(server.exec("SELECT N FROM B;", database));
    await server.dropDatabase(database);
  });

  testOn(dialect, "all who ask have the same server", async () => {
    await using first = await useServer(dialect);
    await using second = await useServer(dialect);
    assert.equal(first.port, second.port);
  });

  testOwnServer(dialect, "a server that was killed comes back with its data", async () => {
    await using server = await startServer(dialect, { durable: true });
    const database = await server.createDatabase("crash");
    await server.exec("CREATE TABLE T (N INTEGER); INSERT INTO T VALUES (7);", database);
    await server.kill();
    await assert.rejects(server.exec("SELECT N FROM T;", database));
    await server.restart();
    assert.equal(await server.exec("SELECT N FROM T;", database), "7\n");
  });

  testOwnServer(
    dialect,
    "a server that was killed in the middle of a statement comes back at once",
    async () => {
      await using server = await startServer(dialect, { durable: true });
      const running = assert.rejects(server.exec(BUSY[dialect]));
      await until(async () => await server.exec(RUNNING[dialect]) !== "0\n");
      await server.kill();
      await server.restart();
      await running;
    },
  );

  testOwnServer(dialect, "a server ends with its test", async () => {
    const server = await startServer(dialect);
    await server[Symbol.asyncDispose]();
    await assert.rejects(server.exec("SELECT 1;"));
  });

  testOwnServer(
    dialect,
    "a server ends when the process that started it is killed, and leaves no file",
    async () => {
      const script = `import { startServer } from "@/tests/support/servers/mod.ts";
      const { port } = await startServer("${dialect}");
      console.log(JSON.stringify({ port, directory: Deno.env.get("TMPDIR") }));
      setInterval(() => {}, 1000);`;
      const directory = await Deno.makeTempDir({ prefix: "rowhouse-killed-" });
      await Deno.chmod(directory, 0o755);
      const child = new Deno.Command(Deno.execPath(), {
        args: ["eval", script],
        cwd: ROOT,
        env: { TMPDIR: directory },
        stdout: "piped",
      }).spawn();
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const { port } = JSON.parse((await reader.read()).value ?? "{}");
      await reader.cancel();
      assert.equal([...Deno.readDirSync(directory)].length, 1);
      child.kill("SIGKILL");
      await child.status;
      await until(async () => !await isListening(port) && [...Deno.readDirSync(directory)].length === 0);
      await Deno.remove(directory);
    },
  );
}

async function isListening(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}

function testOwnServer(dialect: ServerDialect, name: string, fn: () => Promise<void>): void {
  const reason = whyNoOwnServer(dialect);
  Deno.test({ name: `${dialect}: ${name}${reason ? ` (${reason})` : ""}`, ignore: reason !== undefined, fn });
}
