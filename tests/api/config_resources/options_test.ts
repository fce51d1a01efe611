import assert from "node:assert/strict";
import { join } from "node:path";
import { browserOf, hiddenFields, PASSWORD } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { key, send } from "./people.ts";

/** The dialect of SQLite with options of its own. */
const PLUGIN = `
import sqlite from ${JSON.stringify(import.meta.resolve("@/plugins/dialects/sqlite/mod.ts"))};
export default {
  ...sqlite,
  name: "wide",
  options: {
    width: { type: "integer", default: 4, most: 9, sentence: "A number." },
    folder: { type: "path", sentence: "A folder." },
    folders: { type: "paths", sentence: "Folders." },
  },
};
`;

const DATABASES = `Demo:
  db_type: wide
  db_name: \${ROWHOUSE_STATE}/demo.db
  options: {width: 7, folder: /srv/by-hand}
`;

const service = sharedService({
  files: {
    "config/plugins/plugins/dialects/wide/mod.ts": PLUGIN,
    "config/service.ini":
      "[service]\nplugins_path = plugins\nargon2.memory_cost = 8\nargon2.time_cost = 1\nlogin_throttle.burst = 1000\n",
    "config/users.cfg": `admin: {password: ${PASSWORD}, apikey: ${key("admin")}, databases: {Demo: {}}}\n`,
    "config/databases.cfg": DATABASES,
    "config/querydefs.cfg": "{}\n",
  },
  isAdministered: true,
});

const BY_HAND = { width: 7, folder: "/srv/by-hand" };
const as = (line: string, body?: unknown) => send(service(), "admin", line, body);
const file = () => join(service().home, "config", "databases.cfg");
const demo = () => ({ db_type: "wide", db_name: join(service().home, "state", "demo.db") });

async function optionsOf(id: string): Promise<unknown> {
  return JSON.parse((await as(`GET /dbdef/${id}.json`)).text).options;
}

const ONLY_BY_HAND = "only a definition written by hand may name a file";
const WRONG: readonly (readonly [options: unknown, complaint: string])[] = [
  [{ width: 10 }, '"options.width": Expected '],
  [{ width: "many" }, '"options.width": Expected '],
  [{ widht: 3 }, '"options.widht": Unknown setting: did you mean "width"?'],
  [{ folder: "/etc" }, `"options.folder": ${ONLY_BY_HAND}`],
  [{ folders: ["/etc"] }, `"options.folders": ${ONLY_BY_HAND}`],
  [{ folders: "/etc" }, `"options.folders": ${ONLY_BY_HAND}`],
  ["wide", "Expected a mapping, found text"],
];

for (const [options, complaint] of WRONG) {
  Deno.test(`options ${JSON.stringify(options)} are refused over HTTP`, async () => {
    const before = await Deno.readTextFile(file());
    const sent = [
      as("PUT /dbdef/Demo.json", { options }),
      as("POST /dbdef.json", { db_id: "New", ...demo(), options }),
      as("POST /settings/check-database-connection.json", { ...demo(), options }),
    ];
    for (const { status, text } of await Promise.all(sent)) {
      assert.equal(status, 400, text);
      const { description } = JSON.parse(text);
      assert.ok(description.includes(complaint), description);
    }
    assert.equal(await Deno.readTextFile(file()), before);
  });
}

Deno.test("right options are stored, and a path that was written by hand may be sent back unchanged", async () => {
  assert.equal(
    (await as("POST /dbdef.json", { db_id: "New", ...demo(), options: { width: 9 } })).status,
    201,
  );
  assert.deepEqual(await optionsOf("New"), { width: 9 });
  assert.equal((await as("DELETE /dbdef/New.json")).status, 204);
  assert.equal((await as("PUT /dbdef/Demo.json", { options: { ...BY_HAND, width: 8 } })).status, 204);
  assert.deepEqual(await optionsOf("Demo"), { ...BY_HAND, width: 8 });
  const other = { options: { ...BY_HAND, folder: "/srv" } };
  assert.equal((await as("PUT /dbdef/Demo.json", other)).status, 400);
  assert.equal((await as("PUT /dbdef/Demo.json", { options: BY_HAND })).status, 204);
});

Deno.test("the form of a database keeps its options, and tests the connection with them", async () => {
  const browser = await browserOf(service(), "admin", PASSWORD);
  const form = {
    ...hiddenFields((await browser.get("/dbdef/Demo.html?ui.edit")).text),
    "s.db_type": "wide",
    "s.db_name": demo().db_name,
    "s.desc": "Sent by the form",
    "b.autoconnect": "true",
  };
  const tested = await browser.post("/ui/dbdef/Demo", { ...form, "ui.check": "true" });
  assert.match(tested.text, /role="status">Connected/);
  const saved = await browser.send("/ui/dbdef/Demo", {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: new URLSearchParams(form),
  });
  assert.equal(saved.status, 303, saved.text);
  const { desc, options } = JSON.parse((await as("GET /dbdef/Demo.json")).text);
  assert.deepEqual([desc, options], ["Sent by the form", BY_HAND]);
});

Deno.test("a file with wrong options is not taken at a reload, and the log names the option", async () => {
  const before = await Deno.readTextFile(file());
  await Deno.writeTextFile(file(), before.replace(/width: 7/, "width: 70"));
  await until(async () => (await service().log()).includes("Demo.options.width: "));
  assert.deepEqual(await optionsOf("Demo"), BY_HAND);
  await Deno.writeTextFile(file(), before);
});
