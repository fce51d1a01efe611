/**
 * @module `backup` while clients write, and `restore`: what was acknowledged
 * before the backup is there afterwards.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { runMain, serve } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { inHome, makeHome } from "@/tests/support/service.ts";
import { pluginSource } from "@/tests/support/plugin_folder.ts";
import { assertDurable, Clients, Home } from "@/tests/process/writing/acknowledged.ts";

/** Acknowledged writes before the backup and during it. */
const ENOUGH = 200;

Deno.test("a backup under writing load has every write that was acknowledged before it", async () => {
  await using home = await Home.make();
  await using copy = await Home.make();
  const clients = new Clients();
  const backup = join(home.directory, "backup");
  const service = await serve(["--home", home.directory]);
  clients.start(service.url);
  await clients.untilMore(ENOUGH);
  const before = { texts: [...clients.texts], counters: new Map(clients.counters) };
  const made = await runMain(["backup", backup, "--home", home.directory]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  await clients.untilMore(ENOUGH);
  const refused = await runMain(["restore", backup, "--home", home.directory]);
  assert.deepEqual([refused.code, refused.stderr], [
    1,
    `Cannot use "${join(home.directory, "state")}": the service is running; stop it first\n`,
  ]);
  await clients.stop();
  await service.stop();
  assertDurable(home, clients);

  for (const target of [home, copy]) {
    const restored = await runMain(["restore", backup, "--home", target.directory]);
    assert.deepEqual([restored.code, restored.stderr], [0, ""]);
    assertDurable(target, before);
    const again = await serve(["--home", target.directory]);
    const more = new Clients(1_000_000);
    more.start(again.url);
    await more.untilMore(ENOUGH / 4);
    await more.stop();
    await again.stop();
    assertDurable(target, more);
  }
  // The file that was replaced is whole: with its log, it has the writes after the backup.
  assertDurable({ file: `${home.file}.before-restore` }, clients);
});

Deno.test("a backup has configuration and secrets as they are, and none of the sessions", async () => {
  await inHome({
    files: {
      "config/service.ini": "[service]\nusers_path = ../people.cfg\n",
      "people.cfg": "admin: {}\npublic: {databases: {Demo: {}}}\n",
      "config/keys/saml.pem": "a key\n",
      "config/users.cfg~": "admin: {password: plain}\n",
      "state/session.secret": "a secret",
      "state/sessions/data/x": "a session",
    },
  }, async (home) => {
    await Deno.chmod(join(home, "config", "keys", "saml.pem"), 0o640);
    await Deno.symlink("somebody@example.1234", join(home, "config", ".#users.cfg"));
    const backup = join(home, "backup");
    const { code, stdout } = await runMain(["backup", backup, "--home", home]);
    assert.equal(code, 0);
    const names = stdout.trim().split("\n");
    const elsewhere = names.find((name) => name.endsWith("/people.cfg")) ?? "";
    assert.deepEqual(
      names.toSorted(),
      [
        "config/auth.cfg",
        "config/databases.cfg",
        "config/keys/saml.pem",
        "config/querydefs.cfg",
        "config/regular-initial",
        "config/service.ini",
        "config/users.cfg",
        elsewhere,
        "state/demo.db",
        "state/session.secret",
      ].toSorted(),
    );
    assert.match(elsewhere, /^elsewhere\/\d+\/people\.cfg$/);
    const modeOf = (path: string) => ((Deno.statSync(join(backup, path)).mode ?? 0) & 0o777).toString(8);
    assert.deepEqual([".", "backup.json", "config/keys/saml.pem", "config/users.cfg"].map(modeOf), [
      "700",
      "600",
      "640",
      "600",
    ]);

    const again = await runMain(["backup", backup, "--home", home]);
    assert.equal(again.stderr, `Cannot write a backup into "${backup}": the directory is not empty\n`);

    await Deno.writeTextFile(join(home, "people.cfg"), "admin: {}\n");
    await Deno.writeTextFile(join(home, "state", "session.secret"), "another");
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    assert.match(await Deno.readTextFile(join(home, "people.cfg")), /public/);
    assert.equal(await Deno.readTextFile(join(home, "state", "session.secret")), "a secret");
    assert.equal(await Deno.readTextFile(join(home, "people.cfg.before-restore")), "admin: {}\n");

    // Other directories never replace files that belong to these.
    const other = join(home, "other");
    const moved = await runMain(["restore", backup, "--home", other]);
    assert.match(moved.stdout, /not restored, because it belongs to other directories: elsewhere/);
    assert.equal(await Deno.readTextFile(join(other, "state", "session.secret")), "a secret");
  });
});

Deno.test("a backup is made and restored under the rules of Windows for files", async () => {
  const preload = join(ROOT, "tests/support/windows.ts");
  await inHome({ files: { "config/users.cfg": "admin: {}\n" } }, async (home) => {
    const [backup, users] = [join(home, "backup"), join(home, "config", "users.cfg")];
    const run = async (...args: readonly string[]) => {
      const { code, stderr } = await runMain([...args, "--home", home], {
        preload,
        stdin: "harbour-lights-93\n",
      });
      assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    };
    await run("set-password", "admin");
    const before = await Deno.readTextFile(users);
    await run("backup", backup);
    await Deno.writeTextFile(users, "admin: {}\n");
    await run("restore", backup);
    assert.equal(await Deno.readTextFile(users), before);
  });
});

Deno.test("a backup that fails leaves an empty directory, and can be repeated", async () => {
  const databases =
    "Demo: {db_type: sqlite, db_name: ../state/demo.db}\nOld: {db_type: sqlite, db_name: old.db}\n";
  await inHome({ files: { "config/databases.cfg": databases } }, async (home) => {
    const [fresh, empty] = [join(home, "one", "backup"), join(home, "empty")];
    await Deno.mkdir(empty);
    for (const backup of [fresh, empty]) {
      const { code, stderr } = await runMain(["backup", backup, "--home", home]);
      assert.equal(code, 1);
      assert.match(stderr, /^Cannot save ".*\/config\/old\.db" by the dialect "sqlite": .*\n$/);
    }
    for (const backup of [fresh, empty]) assert.deepEqual([...Deno.readDirSync(backup)], []);
    await Deno.writeTextFile(join(home, "config", "databases.cfg"), databases.split("\n")[0] ?? "");
    for (const backup of [fresh, empty]) {
      const { code, stderr } = await runMain(["backup", backup, "--home", home]);
      assert.deepEqual([code, stderr], [0, ""]);
    }
  });
});

Deno.test({
  name: "a file that root restores stays the file of its owner",
  ignore: Deno.uid() !== 0,
  async fn() {
    await inHome({ files: { "config/keys/saml.pem": "a key\n" } }, async (home) => {
      const [users, backup] = [join(home, "config", "users.cfg"), join(home, "backup")];
      await Deno.chown(users, 65_534, 65_534);
      assert.equal((await runMain(["backup", backup, "--home", home])).code, 0);
      assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
      assert.equal((await Deno.stat(users)).uid, 65_534);
      // Another machine: the service's user has the directories, and nothing is in them.
      const other = join(home, "other");
      await Deno.mkdir(other);
      await Deno.chown(other, 65_534, 65_534);
      assert.equal((await runMain(["restore", backup, "--home", other])).code, 0);
      for (const name of ["config", "config/keys", "config/keys/saml.pem", "state", "state/serving.lock"]) {
        assert.equal((await Deno.stat(join(other, name))).uid, 65_534, name);
      }
    });
  },
});

Deno.test("a restore that is no backup, not whole or of a newer version changes nothing", async () => {
  await inHome({}, async (home) => {
    const backup = join(home, "backup");
    await runMain(["backup", backup, "--home", home]);
    const path = join(backup, "backup.json");
    const manifest = JSON.parse(await Deno.readTextFile(path));
    const size = manifest.files.find(({ name }: { name: string }) => name === "config/users.cfg").bytes;
    const refusal = async () => {
      const { code, stderr } = await runMain(["restore", backup, "--home", home]);
      assert.equal(code, 1);
      return stderr.replace(`Cannot restore "${backup}": `, "");
    };
    await Deno.writeTextFile(path, JSON.stringify({ ...manifest, format: 2, version: "9.0.0" }));
    assert.equal(
      await refusal(),
      "version 9.0.0 made it with format 2, and this version of the program knows formats up to 1\n",
    );
    await Deno.writeTextFile(path, JSON.stringify(manifest));
    await Deno.truncate(join(backup, "config", "users.cfg"), 10);
    assert.equal(await refusal(), `config/users.cfg should have ${size} bytes and has 10\n`);
    for (const text of ['{"format": 1,', "{}", "null"]) {
      await Deno.writeTextFile(path, text);
      assert.equal(await refusal(), "its backup.json is damaged\n");
    }
    await Deno.remove(path);
    assert.equal(await refusal(), "it has no backup.json, so it is no backup, or not a whole one\n");
    const left = [...Deno.readDirSync(join(home, "config"))].map(({ name }) => name);
    assert.deepEqual(left.filter((name) => /restor/.test(name)), []);
  });
});

Deno.test("a dialect of others tells its files: they are saved, and restored without the dialect", async () => {
  const setup = `(_section, { directory }) => ({
    connect() { throw new Error("not used"); },
    files: {
      pathOf: (name) => directory + "/" + name,
      copy: async (file, copy) => Deno.writeTextFile(copy, await Deno.readTextFile(file) + " and its log"),
      beside: ["", "-log", "-log"],
    },
  })`;
  await inHome({
    files: {
      "config/service.ini": "[service]\nplugins_path = ../plugins\n",
      "config/databases.cfg":
        "Notes: {db_type: notes, db_name: notes.txt}\nFar: {db_type: far, db_name: far}\n",
      "config/notes.txt": "notes",
      "config/notes.txt-log": "a log",
      "plugins/plugins/dialects/notes/mod.ts": pluginSource("dialect", "notes", setup),
      "plugins/plugins/dialects/far/mod.ts": pluginSource("dialect", "far", "() => ({ connect() {} })"),
    },
  }, async (home) => {
    const backup = join(home, "backup");
    const { stdout, stderr } = await runMain(["backup", backup, "--home", home]);
    assert.match(stdout, /^config\/notes\.txt\n[^]*^not saved: database Far \(far\)\n/m, stderr);
    assert.equal(await Deno.readTextFile(join(backup, "config", "notes.txt")), "notes and its log");
    await assert.rejects(Deno.stat(join(backup, "config", "notes.txt-log")), Deno.errors.NotFound);
    await Deno.remove(join(home, "plugins"), { recursive: true });
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    const left = [...Deno.readDirSync(join(home, "config"))].map(({ name }) => name);
    assert.deepEqual(left.filter((name) => name.startsWith("notes")).toSorted(), [
      "notes.txt",
      "notes.txt.before-restore",
      "notes.txt.before-restore-log",
    ]);
  });
});

Deno.test("a restore sets the files beside a database of SQLite aside", async () => {
  await inHome({}, async (home) => {
    const backup = join(home, "backup");
    await runMain(["backup", backup, "--home", home]);
    const manifest = JSON.parse(await Deno.readTextFile(join(backup, "backup.json")));
    const recorded = manifest.files.flatMap(({ beside }: { beside?: string[] }) => beside ?? []);
    assert.deepEqual(recorded, ["-wal", "-shm", "-journal"]);
    const database = join(home, "state", "demo.db");
    for (const end of recorded) await Deno.writeTextFile(database + end, `old ${end}`);
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    for (const end of recorded) {
      await assert.rejects(Deno.stat(database + end), Deno.errors.NotFound);
      assert.equal(await Deno.readTextFile(`${database}.before-restore${end}`), `old ${end}`);
    }
  });
});

Deno.test("a second restore keeps what the first one has set aside, and one that was cut off goes on", async () => {
  await inHome({}, async (home) => {
    const [backup, file] = [join(home, "backup"), join(home, "state", "demo.db")];
    await runMain(["backup", backup, "--home", home]);
    await Deno.writeTextFile(file, "the last data");
    await Deno.writeTextFile(`${file}-wal`, "its log");
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    await Deno.writeTextFile(file, "after the first restore");
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    const read = (end: string) => Deno.readTextFile(`${file}.before-restore${end}`);
    assert.deepEqual([await read(""), await read("-wal"), await read("-2")], [
      "the last data",
      "its log",
      "after the first restore",
    ]);
    // Cut off between the file and its log.
    await Deno.rename(file, `${file}.before-restore-3`);
    await Deno.writeTextFile(`${file}-wal`, "the third log");
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    assert.equal(await read("-3-wal"), "the third log");
    // Removed by hand, without its log.
    await Deno.remove(file);
    await Deno.writeTextFile(`${file}-wal`, "the log of a file that is gone");
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    assert.equal(await read("-3-wal"), "the third log");
    await Deno.writeTextFile(file, "after the fourth restore");
    assert.equal((await runMain(["restore", backup, "--home", home])).code, 0);
    assert.equal(await read("-5"), "after the fourth restore");
    assert.ok((await Deno.stat(file)).size > 100_000);
  });
});

Deno.test("a state directory within that of the configuration may be another one after a restore", async () => {
  await inHome({ files: { "state/session.secret": "x".repeat(32) } }, async (home) => {
    const [backup, other] = [join(home, "backup"), join(home, "other")];
    await Deno.rename(join(home, "state"), join(home, "config", "state"));
    const nested = ["--config-dir", join(home, "config"), "--state-dir", join(home, "config", "state")];
    assert.equal((await runMain(["backup", backup, ...nested])).code, 0);
    assert.equal((await runMain(["restore", backup, "--home", other])).code, 0);
    const names = [...Deno.readDirSync(join(other, "state"))].map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ["demo.db", "serving.lock", "session.secret"]);
  });
});

Deno.test("a file with two names, of which one is a link, is restored once", async () => {
  const demo = "Demo: {db_type: sqlite, db_name: ../state/demo.db}\n";
  const files = {
    "config/production.cfg": `${demo}Same: {db_type: sqlite, db_name: ../state/same.db}\n`,
    "config/users.cfg": "admin: {}\n",
  };
  await inHome({ files }, async (home) => {
    const at = (path: string) => join(home, path);
    await Deno.remove(at("config/databases.cfg"));
    await Deno.symlink("production.cfg", at("config/databases.cfg"));
    await Deno.symlink("demo.db", at("state/same.db"));
    const backup = at("backup");
    assert.equal((await runMain(["backup", backup, "--home", home])).code, 0);
    await Deno.writeTextFile(at("config/production.cfg"), demo);
    await Deno.writeTextFile(at("state/demo.db"), "former");
    const { code, stderr } = await runMain(["restore", backup, "--home", home]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(await Deno.readTextFile(at("config/databases.cfg")), files["config/production.cfg"]);
    assert.equal(await Deno.readTextFile(at("config/production.cfg.before-restore")), demo);
    assert.ok((await Deno.stat(at("state/same.db"))).size > 100_000);
    assert.equal(await Deno.readTextFile(at("state/demo.db.before-restore")), "former");
  });
});

Deno.test("a restored node is not in its first run unless the backup was", async () => {
  const [administered, fresh] = [await makeHome(), await makeHome()];
  try {
    await Deno.remove(join(administered, "config", "regular-initial"));
    const backup = join(administered, "backup");
    await runMain(["backup", backup, "--home", administered]);
    assert.equal((await runMain(["restore", backup, "--home", fresh])).code, 0);
    await assert.rejects(Deno.stat(join(fresh, "config", "regular-initial")), Deno.errors.NotFound);
  } finally {
    for (const home of [administered, fresh]) await Deno.remove(home, { recursive: true });
  }
});
