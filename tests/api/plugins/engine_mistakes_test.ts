import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import project from "@/deno.json" with { type: "json" };
import { writePlugin } from "@/plugins/new_plugin.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { endOf, POOL, withPlugins } from "./mistaken_service.ts";
import { mistakesOf, oddEngine } from "./mistakes.ts";

/**
 * What reaches a member: a list, a stream, or a saved query, which is described and
 * read, and resets its connection.
 */
function pathsOf(name: string, member: string): readonly string[] {
  if (member === "cursor") return [`/db/${name}/Port.json?stream`];
  const list = `/db/${name}/Port.json?limit=1`;
  if (["describe", "reset", "close"].includes(member)) return [`/query/${name}.json`, `/query/${name}.json`];
  return [list];
}

Deno.test("an engine with a mistake in any member costs its own database only, and the log names it", async () => {
  using made = pluginFolder({});
  await writePlugin({ kind: "dialect", name: "plain", root: made.path, kysely: project.imports.kysely });
  const plain = pathToFileURL(join(made.path, "plugins/dialects/plain/mod.ts")).href;
  const mistakes = mistakesOf("engine");
  const files = mistakes.map((each) => [`plugins/dialects/${each.name}/mod.ts`, oddEngine(each, plain)]);
  const databases = mistakes.map(({ name }) =>
    `${name}: {db_type: ${name}, db_name: '\${ROWHOUSE_STATE}/${name}.db', pool: ${POOL}}\n`
  );
  const queries = mistakes.map(({ name }) =>
    `${name}: {database: ${name}, sqlstr: SELECT 1 AS n, execute: [public]}\n`
  );
  const demo = "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n";
  const configuration = { "databases.cfg": demo + databases.join(""), "querydefs.cfg": queries.join("") };
  const log = await withPlugins(Object.fromEntries(files), configuration, async (service) => {
    await Promise.all(mistakes.map(async ({ name, member, effect }) => {
      const expected = effect === "disconnected" ? 503 : effect === "no effect" ? 200 : effect;
      for (const path of pathsOf(name, member)) assert.equal(await endOf(service, path), expected, name);
    }));
  }, mistakes);
  for (const { name, effect } of mistakes) {
    // A statement that takes too long is no mistake.
    if (effect === "no effect" || effect === 504) continue;
    assert.match(log, new RegExp(`dialect "${name}"|\\(${name}\\)`), name);
  }
  assert.match(log, /The dialect "reset_throws": A connection could not be reset: broken on purpose/);
});
