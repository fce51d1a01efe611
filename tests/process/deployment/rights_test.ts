/**
 * @module The permissions of docs/deployment/ and of `deno task start`: enough for everything, and no more.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import project from "@/deno.json" with { type: "json" };
import { START } from "@/tests/support/process.ts";
import { freePort, run } from "@/tests/support/servers/programs.ts";
import { ROOT } from "@/tests/support/root.ts";
import { makeHome } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { fetchInTime, inTime, until } from "@/tests/support/until.ts";

const KEY = "administrator-0123456789-0123456789";
const PASSWORD = "harbour-lights-93";
/** Takes a process of its own. */
const LONG = "SELECT count(*) AS n FROM Booking a JOIN Booking b ON a.Reference <> b.Reference";
const FILES = {
  "config/users.cfg":
    `admin: {apikey: ${KEY}, password: ${PASSWORD}, databases: {Demo: {}, Outside: {}, Link: {}}}\n`,
  "config/querydefs.cfg": `long: {database: Demo, sqlstr: "${LONG}", execute: [admin]}\n`,
  "config/databases.cfg": "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n" +
    "Outside: {db_type: sqlite, db_name: '${OUTSIDE}/demo.db'}\n" +
    "Link: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/link.db'}\n" +
    "Far: {db_type: postgresql, db_name: shop, db_host: 127.0.0.2, db_port: 1, autoload_user: {dbuser: a}}\n",
};

const textOf = (name: string) => Deno.readTextFile(join(ROOT, "docs", "deployment", name));

/**
 * The command of the unit, with the directories of this test, and the network
 * narrowed to the service's own address.
 */
async function commandOfUnit(home: string): Promise<readonly string[]> {
  const unit = (await textOf("rowhouse.service")).replaceAll("\\\n", "");
  const [, command = ""] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  return moved(command.split(/ +/), {
    "--allow-net": "--allow-net=127.0.0.1",
    "/usr/local/bin/deno": Deno.execPath(),
    "/opt/rowhouse": ROOT,
    "/etc/rowhouse": join(home, "config"),
    "/var/lib/rowhouse": join(home, "state"),
    "/var/log/rowhouse": join(home, "log"),
    "/var/cache/rowhouse": await packageDirectory(),
  });
}

/** The command of the container, likewise; there the packages are below the program. */
async function commandOfContainer(home: string): Promise<readonly string[]> {
  const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(await textOf("Containerfile")) ?? [];
  const [, ...args]: readonly string[] = JSON.parse(command);
  return [
    Deno.execPath(),
    ...moved(args.slice(0, -2), {
      "/usr/bin/deno": Deno.execPath(),
      "/opt/rowhouse": `${ROOT},${await packageDirectory()}`,
      "/data": home,
    }),
  ];
}

function moved(words: readonly string[], places: Readonly<Record<string, string>>): readonly string[] {
  return words.map((word) =>
    Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), word)
  );
}

async function packageDirectory(): Promise<string> {
  return JSON.parse(await run([Deno.execPath(), "info", "--json"])).denoDir;
}

async function ask(url: string, path: string, body?: object, type = "application/json"): Promise<number> {
  return await statusOf(fetchInTime(url + path, {
    headers: { apikey: KEY, "Content-Type": type },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  }));
}

/** Uses every part of the service that touches the system. */
async function useAll(url: string): Promise<void> {
  await until(() => ask(url, "/readyz").then((status) => status === 200, () => false));
  const query = { query_id: "one", database: "Demo", sqlstr: "SELECT 1 AS n" };
  assert.deepEqual([
    await ask(url, "/db/Demo/Port.json?limit=1"),
    await ask(url, "/db/Demo/Port.html?limit=1"),
    await ask(url, "/db/Demo/Booking.json?stream&limit=6000"),
    await ask(url, "/db/Demo/Amenity.json", { Name: "Rowing machine" }),
    await ask(url, "/query/long.json"),
    await ask(url, "/querydef.json", query),
    await ask(url, "/login", { login: "admin", password: PASSWORD }),
    await ask(url, "/metrics"),
    await ask(url, "/openapi/Demo.html"),
  ], [200, 200, 200, 201, 200, 201, 200, 200, 200]);
  assert.deepEqual([await ask(url, "/db/Outside/Port.json"), await ask(url, "/db/Link/Port.json")], [
    503,
    503,
  ]);
}

for (const [place, commandFor] of [["unit", commandOfUnit], ["container", commandOfContainer]] as const) {
  Deno.test({
    name: `the permissions of the ${place} are enough for all that it does, and open no file elsewhere`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const [home, outside] = [await makeHome({ files: FILES }), await makeHome()];
      try {
        await Deno.remove(join(home, "config", "regular-initial"));
        await Deno.mkdir(join(home, "log"));
        await Deno.symlink(join(outside, "state", "demo.db"), join(home, "state", "link.db"));
        const port = freePort();
        const [program = "", ...args] = await commandFor(home);
        const child = new Deno.Command(program, {
          args: [...args, "--port", String(port)],
          cwd: ROOT,
          env: { NO_COLOR: "1", OUTSIDE: join(outside, "state"), ROWHOUSE_HOME: home },
          stdout: "null",
          stderr: "null",
        }).spawn();
        try {
          await useAll(`http://127.0.0.1:${port}`);
        } finally {
          child.kill("SIGTERM");
          assert.equal((await inTime(child.status, "The end of the service")).code, 0);
        }
        const log = await Deno.readTextFile(join(home, "log", "rowhouse.log"));
        const lacks = log.split("\n").filter((line) => /NotCapable|allow-|Requires/.test(line));
        assert.deepEqual(lacks.filter((line) => !/Database (Outside|Link|Far)\b/.test(line)), []);
        const reason = place === "unit" ? /Database Far\b.*net access to "127\.0\.0\.2:1"/ : /Far\b.*REFUSED/;
        assert.match(log, reason);
        for (const id of ["Outside", "Link"]) {
          assert.match(log, new RegExp(`Database ${id}\\b.*it may not be read`));
        }
      } finally {
        for (const directory of [home, outside]) await Deno.remove(directory, { recursive: true });
      }
    },
  });
}

Deno.test("deno task start grants programs by name, and cannot write its own code", () => {
  const run = START.find((option) => option.startsWith("--allow-run="));
  assert.equal(run, `--allow-run=${Deno.execPath()},sh`);
  const denied = START.find((option) => option.startsWith("--deny-write="))?.slice("--deny-write=".length);
  const own = [...Deno.readDirSync(ROOT)].map(({ name }) => name).filter((name) =>
    /^(auth|config|core|formats|plugins|main\.ts|deno\.(json|lock))$/.test(name)
  );
  assert.deepEqual(denied?.split(",").toSorted(), own.toSorted());
});

for (const name of ["start", "dev"] as const) {
  Deno.test({
    name:
      `deno task ${name} runs where Deno's own path has a space, as below the home of a person on Windows`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const deno = `deno() { if [ "$1" = eval ]; then echo "/home/a b/deno"; else printf '%s\\n' "$@"; fi; }`;
      const words = await run(["sh", "-c", `${deno}\n${project.tasks[name].command}`]);
      assert.match(words, /^--allow-run=\/home\/a b\/deno,sh$/m);
    },
  });
}

Deno.test("every way to start gives free memory back as soon as deno task start", async () => {
  const flags = START.filter((option) => option.startsWith("--v8-flags="));
  assert.equal(flags.length, 1);
  const ways = [
    ["deno task compile", project.tasks.compile.command],
    ["rowhouse.service", await textOf("rowhouse.service")],
    ["Containerfile", await textOf("Containerfile")],
  ] as const;
  assert.deepEqual(ways.filter(([, text]) => !text.includes(flags.join())).map(([name]) => name), []);
});
