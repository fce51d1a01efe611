import assert from "node:assert/strict";
import { join } from "node:path";
import { inHome } from "@/tests/support/service.ts";
import { runMain } from "@/tests/support/process.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { type EFFECTS, mistakesOf, mistakeTable, oddDialect, oddFormat, oddMethod } from "./mistakes.ts";
import { AUTH, endOf, KEY, POOL, usersOf, withPlugins } from "./mistaken_service.ts";

const SQLITE = new URL("../../../plugins/dialects/sqlite/mod.ts", import.meta.url).href;
const TAKEN = '{"AmenityId": 1, "Name": "odd"}';
const NEW = '{"AmenityId": 900, "Name": "odd"}';
const FORMAT_PATHS: Readonly<Record<string, (name: string) => string>> = {
  document: (name) => `/db.${name}`,
  problem: (name) => `/db/Nowhere.${name}`,
  view: (name) => `/db/Demo.${name}`,
  schema: (name) => `/db/Demo/Port.${name}?schema`,
  documentSchema: (name) => `/db.${name}?schema`,
};

Deno.test("a format with a mistake in any member costs its own answers only, and the log names it", async () => {
  const mistakes = mistakesOf("format");
  const files = Object.fromEntries(mistakes.map((each) => [`formats/${each.name}/mod.ts`, oddFormat(each)]));
  const formats = ["json", "csv", "html", ...mistakes.map(({ name }) => name)].join(",");
  const log = await withPlugins(files, { "service.ini": `formats = ${formats}` }, async (service) => {
    await Promise.all(mistakes.map(async ({ name, member, effect }) => {
      const path = FORMAT_PATHS[member]?.(name) ?? `/db/Demo/Port.${name}?limit=2`;
      const init = BODIES.has(member) ? { method: "PUT", headers: { apikey: KEY }, body: "x" } : {};
      const asked = BODIES.has(member) ? `/db/Demo/Typed/Id/1.${name}` : path;
      assert.equal(await endOf(service, asked, init), effect, name);
    }));
    for (const { name } of mistakes.filter(({ member }) => member === "body")) {
      assert.equal(await endOf(service, `/db/Demo/Port.${name}?stream`), 500, name);
    }
    // Others would find no connection, or no reader of SQLite.
    assert.match(await (await service.fetch("/metrics")).text(), /^rowhouse_streams\{database="Demo"\} 0$/m);
  });
  for (const { name } of mistakes) assert.ok(log.includes(`format "${name}"`), name);
});

/** Members that a body reaches. */
const BODIES: ReadonlySet<string> = new Set(["read", "shows", "isAmbiguous"]);

/** The request that reaches a member. */
function methodRequest(name: string, member: string): readonly [path: string, init: RequestInit] {
  if (member === "handle") return [`/odd/${name}`, {}];
  if (member === "authenticate") return ["/db.json", { headers: { "X-Odd": name } }];
  const headers = { "Content-Type": "application/json" };
  return ["/login", { method: "POST", headers, body: JSON.stringify({ login: name, password: "x" }) }];
}

Deno.test("a method with a mistake in any member costs its own requests only, and the log names it", async () => {
  const mistakes = mistakesOf("auth");
  const files = Object.fromEntries(mistakes.map((each) => [`auth/${each.name}/mod.ts`, oddMethod(each)]));
  const policies = ["login_form", "cookie", ...mistakes.map(({ name }) => name)].map((name, at) =>
    `  ${name}: {enabled: true, priority: ${at + 2}}\n`
  );
  const users = mistakes.filter(({ member }) => member === "checkPassword").map(({ name }) =>
    `${name}: {}\n`
  );
  const configuration = {
    // A slow hash would use up the time of the method that takes the login.
    "service.ini": "argon2.memory_cost = 8\nargon2.time_cost = 1",
    "auth.cfg": AUTH + policies.join(""),
    "users.cfg": usersOf(["Demo"]) + users.join(""),
  };
  const log = await withPlugins(files, configuration, async (service) => {
    await Promise.all(mistakes.map(async ({ name, member, effect }) => {
      if (typeof effect === "string") return;
      assert.equal(await endOf(service, ...methodRequest(name, member)), effect, name);
    }));
    assert.equal(await endOf(service, "/openapi.json", { headers: { apikey: KEY } }), 200);
    for (const { name } of mistakes.filter(({ member }) => member === "afterLogout")) {
      const begun = await service.fetch(`/in/${name}`);
      const cookie = begun.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
      const ended = await service.fetch("/logout", { headers: { cookie, accept: "text/html" } });
      assert.deepEqual([ended.status, ended.headers.get("location")], [302, "/"], name);
      assert.match(ended.headers.getSetCookie().join(), /auth_tkt=; Max-Age=0/, name);
    }
  });
  for (const { name, effect, member, mistake } of mistakes) {
    const isQuiet = effect === "no effect" && (member !== "afterLogout" || mistake === "nothing");
    if (!isQuiet) assert.match(log, new RegExp(`method "${name}"|of ${name} `), name);
  }
});

/** The request that reaches a member, and the status without a mistake. */
function dialectRequest(
  name: string,
  member: string,
): readonly [path: string, init: RequestInit, good: number] {
  if (member === "plan" || member === "place") {
    const headers = { apikey: KEY, "Content-Type": "application/json" };
    const sqlstr = member === "plan" ? "SELECT 1 AS n" : "SELECT 1 FROM";
    const body = JSON.stringify({ database: name, sqlstr, arguments: {} });
    return ["/settings/check-query.json", { method: "POST", headers, body }, 200];
  }
  if (member === "describe") return [`/query/${name}.json`, {}, 200];
  const writes = ["write", "begin", "run", "commit", "explain"].includes(member);
  if (writes) {
    const headers = { apikey: KEY, "Content-Type": "application/json" };
    const body = member === "explain" ? TAKEN : NEW;
    return [`/db/${name}/Amenity.json`, { method: "POST", headers, body }, 201];
  }
  return [`/db/${name}/Port.json?${member === "stream" ? "stream" : "limit=1"}`, {}, 200];
}

Deno.test("a dialect with a mistake in any member costs its own database only, and the log names it", async () => {
  const mistakes = mistakesOf("dialect");
  const files = Object.fromEntries(
    mistakes.map((each) => [`plugins/dialects/${each.name}/mod.ts`, oddDialect(each, SQLITE)]),
  );
  const databases = mistakes.map(({ name }) =>
    `${name}: {db_type: ${name}, db_name: '\${ROWHOUSE_STATE}/${name}.db', pool: ${POOL}}\n`
  );
  const demo = "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n";
  const queries = mistakes.map(({ name }) =>
    `${name}: {database: ${name}, sqlstr: SELECT 1 AS n, execute: [public]}\n`
  );
  const configuration = { "databases.cfg": demo + databases.join(""), "querydefs.cfg": queries.join("") };
  const log = await withPlugins(files, configuration, async (service) => {
    await Promise.all(mistakes.map(async ({ name, member, effect }) => {
      const [path, init, good] = dialectRequest(name, member);
      const expected = effect === "disconnected" ? 503 : effect === "no effect" ? good : effect;
      assert.equal(await endOf(service, path, init), expected, name);
    }));
  }, mistakes);
  for (const { name, effect } of mistakes) {
    if (effect === "no effect") continue;
    assert.match(log, new RegExp(`dialect "${name}"|\\(${name}\\)`), name);
  }
  assert.match(log, /dialect "place_throws" failed in place\(\)/);
});

Deno.test("a dialect with a mistake in any member of its files makes no backup, and the command names it", async () => {
  const mistakes = mistakesOf("files");
  using folder = pluginFolder(Object.fromEntries(
    mistakes.map((each) => [`plugins/dialects/${each.name}/mod.ts`, oddDialect(each, SQLITE)]),
  ));
  await Promise.all(mistakes.map(async ({ name, effect }) => {
    await inHome({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${folder.path}\nserver.plugin_timeout = 5\n`,
        "config/databases.cfg": `Demo: {db_type: ${name}, db_name: '\${ROWHOUSE_STATE}/demo.db'}\n`,
      },
    }, async (home) => {
      const backup = join(home, "backup");
      const made = await runMain(["backup", backup, "--home", home]);
      const checked = await runMain(["check", "--home", home]);
      const isThere = await Deno.stat(join(backup, "backup.json")).then(() => true, () => false);
      assert.deepEqual([made.code, isThere, checked.code], [1, false, effect === "no start" ? 1 : 0], name);
      assert.ok(made.stderr.includes(`dialect "${name}"`), `${name}: ${made.stderr}`);
    });
  }));
});

for (
  const kind of [
    "format",
    "auth",
    "dialect",
    "engine",
    "files",
    "cache",
  ] as const satisfies readonly (keyof typeof EFFECTS)[]
) {
  Deno.test(`docs/plugin-mistakes.md has the table of mistakes of kind ${kind}`, async () => {
    const text = await Deno.readTextFile(new URL("../../../docs/plugin-mistakes.md", import.meta.url));
    const plain = (table: string) => table.replace(/ +/g, " ").replace(/-{3,}/g, "---");
    assert.ok(plain(text).includes(plain(mistakeTable(kind))), mistakeTable(kind));
  });
}
