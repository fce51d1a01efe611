import assert from "node:assert/strict";
import { join } from "node:path";
import { runMain, serve } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { inTime } from "@/tests/support/until.ts";

const FILES = ["auth.cfg", "databases.cfg", "querydefs.cfg", "regular-initial", "service.ini", "users.cfg"];

Deno.test("the first run makes the home directory, the sample configuration and the demo database", async () => {
  await using directory = temporary();
  const home = join(directory.path, "not", "there", "yet");
  const first = await serve(["--home", home]);
  const answer = await fetch(`${first.url}/db/Demo/Country/CountryCode/NO/Name.json`);
  assert.equal(await answer.text(), '"Norway"');
  assert.equal((await first.stop()).code, 0);
  assert.deepEqual([...Deno.readDirSync(home)].map(({ name }) => name).toSorted(), [
    "config",
    "log",
    "state",
  ]);
  assert.deepEqual([...Deno.readDirSync(join(home, "config"))].map(({ name }) => name).toSorted(), FILES);
});

Deno.test({
  name: "a sample that a full disk has cut off is written whole by the next start",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using directory = temporary();
    const home = directory.path;
    const args = [
      "run",
      "-A",
      "--cached-only",
      join(ROOT, "main.ts"),
      "serve",
      "--port",
      "0",
      "--home",
      home,
    ];
    // Units of 512 or 1,024 bytes: auth.cfg is longer.
    const limited = ["-c", 'trap "" XFSZ; ulimit -f 4 && exec "$0" "$@"', Deno.execPath(), ...args];
    const cut = await new Deno.Command("sh", { args: limited, stdout: "null", stderr: "piped" }).output();
    assert.equal(cut.code, 1);
    assert.match(new TextDecoder().decode(cut.stderr), /Cannot write the sample configuration .*auth\.cfg/);
    const second = await serve(["--home", home]);
    assert.match(
      await (await fetch(`${second.url}/db/Demo/Country/CountryCode/NO/Name.json`)).text(),
      /Norway/,
    );
    await second.said(/First run: set the password of "admin"/);
    await second.stop();
    for (const name of FILES) {
      const sample = join(ROOT, "config", "sample", name);
      const written = await Deno.readTextFile(join(home, "config", name));
      assert.equal(written, await Deno.readTextFile(sample), name);
    }
  },
});

Deno.test({
  name: "others may not replace files of the first run, even with umask 000",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using directory = temporary();
    const home = join(directory.path, "home");
    const program = [Deno.execPath(), "run", "-A", "--cached-only", join(ROOT, "main.ts")];
    const child = new Deno.Command("sh", {
      args: ["-c", 'umask 000 && exec "$0" "$@"', ...program, "serve", "--port", "0", "--home", home],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = child.stdout.getReader();
    await inTime(output.read(), "The start");
    child.kill("SIGTERM");
    await inTime(child.status, "The end of the service");
    await output.cancel();
    const places = ["", "config", "state", "log", "state/sessions", "state/demo.db", "state/session.secret"];
    const writable = places.filter((place) => ((Deno.statSync(join(home, place)).mode ?? 0) & 0o022) !== 0);
    assert.deepEqual(writable, []);
  },
});

Deno.test("the second run leaves everything as it is", async () => {
  await using directory = temporary();
  const home = directory.path;
  await (await serve(["--home", home])).stop();
  await Deno.writeTextFile(join(home, "config", "service.ini"), "[service]\nhtml_limit = 7\n");
  await Deno.remove(join(home, "config", "querydefs.cfg"));
  const before = contents(home);
  const second = await serve(["--home", home]);
  const settings = await (await fetch(`${second.url}/settings.json`)).json();
  await second.stop();
  assert.equal(settings.default_limit, 7);
  assert.deepEqual(contents(home), before);
});

Deno.test("a configuration of the operator's own gets no demo database", async () => {
  await using directory = temporary();
  const home = directory.path;
  await Deno.mkdir(join(home, "config"));
  await Deno.writeTextFile(
    join(home, "config", "databases.cfg"),
    "Own: {db_type: sqlite, db_name: own.db}\n",
  );
  await (await serve(["--home", home])).stop();
  const made = Deno.readDirSync(join(home, "state")).map(({ name }) => name).toArray().toSorted();
  assert.deepEqual(made, ["once", "serving.lock", "session.secret", "sessions", "throttle"]);
});

Deno.test("init writes the sample configuration and leaves what is there", async () => {
  await using directory = temporary();
  const target = join(directory.path, "config");
  const first = await runMain(["init", target]);
  assert.equal(first.code, 0);
  assert.deepEqual(
    first.stdout.trimEnd().split("\n").toSorted(),
    FILES.map((name) => join(target, name)),
  );
  await Deno.writeTextFile(join(target, "users.cfg"), "public: {}\n");
  const second = await runMain(["init", target]);
  assert.deepEqual({ code: second.code, stdout: second.stdout }, { code: 0, stdout: "" });
  assert.equal(await Deno.readTextFile(join(target, "users.cfg")), "public: {}\n");
});

const IMPOSSIBLE: readonly (readonly [name: string, args: (file: string) => string[], start: string])[] = [
  ["init into a file", (file) => ["init", file], "Cannot write the sample configuration into "],
  ["a home that is a file", (file) => ["serve", "--port", "0", "--home", file], "Cannot make directory "],
  [
    "a log directory that is a file",
    (file) => ["serve", "--port", "0", "--home", `${file}.home`, "--log-dir", file],
    "Cannot write a log into ",
  ],
];

for (const [name, args, start] of IMPOSSIBLE) {
  Deno.test(`${name} is refused with a sentence and exit code 1`, async () => {
    await using directory = temporary();
    const file = join(directory.path, "file");
    await Deno.writeTextFile(file, "");
    const { code, stdout, stderr } = await runMain(args(file));
    assert.deepEqual({ code, stdout, lines: stderr.trimEnd().split("\n").length }, {
      code: 1,
      stdout: "",
      lines: 1,
    });
    assert.equal(stderr.slice(0, start.length), start);
  });
}

function temporary(): AsyncDisposable & { readonly path: string } {
  const path = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Every file below config/ and the demo database's size, by path. */
function contents(home: string): Readonly<Record<string, string | number>> {
  const config = [...Deno.readDirSync(join(home, "config"))].map(({ name }) => {
    return [name, Deno.readTextFileSync(join(home, "config", name))] as const;
  });
  return { ...Object.fromEntries(config), demo: Deno.statSync(join(home, "state", "demo.db")).size };
}

Deno.test("a configuration made by init gets its demo database at the first start", async () => {
  await using directory = temporary();
  const home = directory.path;
  assert.equal((await runMain(["init", join(home, "config")])).code, 0);
  const service = await serve(["--home", home]);
  const [demo] = await (await fetch(`${service.url}/db.json`)).json();
  assert.equal(demo.status, "Connected");
  await service.stop();
});
