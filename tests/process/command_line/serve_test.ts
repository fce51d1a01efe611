import assert from "node:assert/strict";
import { join } from "node:path";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { runMain, serve, START, startProcess } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { inHome, makeHome } from "@/tests/support/service.ts";
import { fetchInTime, inTime, until } from "@/tests/support/until.ts";

const ADAPTERS = ["deno", "node"] as const;

for (const adapter of ADAPTERS) {
  Deno.test(`serve prints one line with the port that it chose (${adapter})`, async () => {
    await using service = await startProcess({ args: ["--adapter", adapter] });
    assert.notEqual(service.port, 0);
    await (await service.fetch("/db.json")).body?.cancel();
    const { code, stdout } = await service.stop();
    assert.deepEqual({ code, stdout }, {
      code: 0,
      stdout: `listening on http://127.0.0.1:${service.port}/\n`,
    });
  });

  Deno.test(`a service whose output nobody reads serves, and stops when it is told (${adapter})`, async () => {
    await inHome({}, async (home) => {
      const program = [...START, "--cached-only", join(ROOT, "main.ts")];
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", ...program, "serve", "--home", home, "--port", "0", "--adapter", adapter],
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      // As `deno task start 2>&1 | grep -m1 first-run` does.
      await Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
      let url = "";
      await until(async () => {
        const log = await Deno.readTextFile(join(home, "log", "rowhouse.log")).catch(() => "");
        [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? [];
        return url !== "";
      });
      assert.equal(await (await fetchInTime(`${url}/healthz`)).text(), "ok\n");
      child.kill("SIGTERM");
      const { code } = await inTime(child.status, "The end of the service").catch((error) => {
        child.kill("SIGKILL");
        throw error;
      });
      assert.equal(code, 0);
      assert.doesNotMatch(await Deno.readTextFile(join(home, "log", "rowhouse.log")), /ERROR/);
    });
  });

  Deno.test(`a port in use stops the start with a sentence (${adapter})`, async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr;
    await inHome({}, async (home) => {
      const args = ["serve", "--home", home, "--port", String(port), "--adapter", adapter];
      assert.deepEqual(await runMain(args), {
        code: 1,
        stdout: "",
        stderr: `Cannot listen on 127.0.0.1:${port}: the port is in use: choose another with --port\n`,
      });
    });
  });

  Deno.test(`an address that this machine lacks stops the start with a sentence (${adapter})`, async () => {
    await inHome({}, async (home) => {
      const args = ["serve", "--home", home, "--port", "0", "--host", "203.0.113.5", "--adapter", adapter];
      const { code, stdout, stderr } = await runMain(args);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      const sentence = "this machine has no such address: choose another with --host";
      assert.equal(stderr, `Cannot listen on 203.0.113.5:0: ${sentence}\n`);
    });
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.test(`${signal} stops three workers with exit code 0 (${adapter})`, async () => {
      const users = "public:\n  databases: {Demo: {}, Nowhere: {}}\n";
      await using service = await startProcess({
        args: ["--workers", "3", "--adapter", adapter],
        files: { "config/users.cfg": users },
      });
      const answers = await Promise.all(
        Array.from(
          { length: 12 },
          () => sendRaw(service.port, { target: "/db/Demo/Port/PortId/1/Name.json" }),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['"Bergen"']));
      const log = await service.log();
      const { code, stdout } = await service.stop(signal);
      assert.deepEqual({ code, lines: stdout.split("\n").length }, { code: 0, lines: 2 });
      assert.ok(log.includes(`adapter ${adapter}, 3 workers;`), log);
      assert.equal(log.match(/Cannot find database "Nowhere"/g)?.length, 1, "one worker logs it for all");
    });
  }
}

for (const path of ["throttle", "sessions/data/x", "session.secret"]) {
  Deno.test(`a state directory that cannot be used stops the start with a sentence (${path})`, async () => {
    await inHome({}, async (home) => {
      const [first = "", ...rest] = path.split("/");
      const place = join(home, "state", first);
      // A directory where a file should be, or a file where a directory should be.
      await (rest.length > 0 ? Deno.writeTextFile(place, "") : Deno.mkdir(place));
      const { code, stdout, stderr } = await runMain(["serve", "--home", home, "--port", "0"]);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      assert.match(stderr, /^The operating system refuses: [^\n]+\n$/);
      assert.ok(stderr.includes(place), stderr);
    });
  });
}

/** Shell commands before the service starts, by their effect on its state directory `$0`. */
const UNUSABLE = [
  {
    what: "a read-only state directory",
    shell: 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"',
    message: /^Cannot write into "[^"]+" \(--state-dir chooses another directory\): Read-only [^\n]+\n$/,
  },
  {
    what: "a full disk",
    shell: "trap '' XFSZ; ulimit -f 0",
    message: /^Cannot create database "[^"]+\/demo\.db": .+$/m,
  },
] as const;

const UNSHARE = ["unshare", "--map-root-user", "--mount"];
const cannotMount = Deno.build.os !== "linux" || !runsHere([...UNSHARE, "true"]);

for (const { what, shell, message } of UNUSABLE) {
  Deno.test({
    name: `${what} stops the first start with a sentence, not with a stack`,
    ignore: cannotMount,
    async fn() {
      await inHome({}, async (home) => {
        const state = join(home, "state");
        await Deno.remove(join(state, "demo.db"));
        const program = [Deno.execPath(), "run", "--allow-all", "--cached-only", join(ROOT, "main.ts")];
        const [command = "", ...args] = [
          ...UNSHARE,
          "sh",
          "-c",
          `${shell} && exec "$@"`,
          state,
          ...program,
          ...["serve", "--home", home, "--port", "0"],
        ];
        const env = { NO_COLOR: "1" };
        const { code, stderr } = await new Deno.Command(command, { args, env, cwd: ROOT }).output();
        const text = new TextDecoder().decode(stderr);
        assert.equal(code, 1, text);
        assert.match(text, message);
        assert.doesNotMatch(text, /^ +at /m);
      });
    },
  });
}

function runsHere([command = "", ...args]: readonly string[]): boolean {
  try {
    return new Deno.Command(command, { args, stderr: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("the service starts from any working directory, with every directory moved", async () => {
  const home = await makeHome();
  const elsewhere = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    await Deno.rename(join(home, "config"), join(elsewhere, "c"));
    await Deno.rename(join(home, "state"), join(elsewhere, "s"));
    const moved = ["config-dir", "state-dir", "log-dir"].flatMap((name) => [
      `--${name}`,
      join(elsewhere, name.charAt(0)),
    ]);
    const served = await serve(["--home", home, ...moved]);
    const answer = await fetch(`${served.url}/db/Demo/Port/PortId/1/Name.json`);
    assert.equal(await answer.text(), '"Bergen"');
    await served.stop();
    assert.deepEqual([...Deno.readDirSync(join(elsewhere, "l"))].map(({ name }) => name).toSorted(), [
      "audit.log",
      "rowhouse.log",
    ]);
    assert.deepEqual([...Deno.readDirSync(home)], []);
  } finally {
    await Promise.all([home, elsewhere].map((path) => Deno.remove(path, { recursive: true })));
  }
});

Deno.test("ROWHOUSE_HOME is the home directory where --home is not given", async () => {
  await inHome({ files: { "config/service.ini": "[service]\nhtml_limit = 3\n" } }, async (home) => {
    const served = await serve([], { ROWHOUSE_HOME: home });
    const settings = await (await fetch(`${served.url}/settings.json`)).json();
    await served.stop();
    assert.equal(settings.default_limit, 3);
  });
});

Deno.test("a service that may run all programs starts where there is no shell, as in small images", async () => {
  await inHome({}, async (home) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--allow-all",
        "--cached-only",
        join(ROOT, "main.ts"),
        "serve",
        "--home",
        home,
        "--port",
        "0",
      ],
      env: { PATH: home },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await inTime(output.read(), "The start");
    assert.match(value ?? "", /^listening on http/);
    child.kill("SIGTERM");
    assert.equal((await inTime(child.status, "The end of the service")).code, 0);
    await output.cancel();
  });
});

Deno.test("values to choose from have the same order in every locale", async () => {
  await using service = await startProcess({
    env: { LANG: "da_DK.UTF-8", LC_ALL: "da_DK.UTF-8" },
    sqlite: {
      W: `CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE item (id INTEGER PRIMARY KEY, kind_id INTEGER REFERENCES kind (id));
        INSERT INTO kind (name) VALUES ('Zoo'), ('Ål'), ('Aal'), ('bee');`,
    },
  });
  const page = await (await service.fetch("/db/W/item.html?limit=5&ui.offer=kind_id")).text();
  // A Danish dictionary has Zoo, Ål, Aal at its end.
  const offered = [...page.matchAll(/<option value="\d">([^ ]+) \(\d\)/g)].map(([, name]) => name);
  assert.deepEqual(offered, ["Aal", "Ål", "bee", "Zoo"]);
});

Deno.test("server.adapter decides where --adapter is not given", async () => {
  const adapterOf = async (ini: string, args: readonly string[]) => {
    await using service = await startProcess({ files: { "config/service.ini": ini }, args });
    // Only Node's server sends the time that it keeps a connection.
    return (await service.fetch("/healthz", { method: "HEAD" })).headers.has("keep-alive") ? "node" : "deno";
  };
  const node = "[service]\nserver.adapter = node\n";
  assert.equal(await adapterOf(node, []), "node");
  assert.equal(await adapterOf(node, ["--adapter", "deno"]), "deno");
  assert.equal(await adapterOf("[service]\n", []), "deno");
  assert.equal(await adapterOf("[service]\n", ["--host", "0.0.0.0"]), "node");
});

Deno.test("nothing of a plugin is imported before the configuration is known", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", join(ROOT, "main.ts")],
    cwd: ROOT,
  }).output();
  const isPlugin = (url: string) => /\/(formats|auth|plugins\/dialects)\/[^/]+\/[^/]+$/.test(url);
  const graph = JSON.parse(new TextDecoder().decode(stdout));
  const found = staticModules(graph);
  assert.equal(found.some((url) => url.endsWith("/plugins/contract.ts")), true, "the graph was read");
  assert.deepEqual(found.filter((url) => isPlugin(url) || /better-sqlite3|saxes|csv-parse/.test(url)), []);
});

interface ModuleGraph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier?: string };
      readonly type?: { readonly specifier?: string };
    }[];
  }[];
}

/** Modules loaded with the root module, without `import()` and types. */
function staticModules({ roots, modules }: ModuleGraph): readonly string[] {
  const byUrl = new Map(modules.map((module) => [module.specifier, module]));
  const seen = new Set(roots);
  for (const url of seen) {
    for (const { code, isDynamic } of byUrl.get(url)?.dependencies ?? []) {
      if (code?.specifier !== undefined && !isDynamic) seen.add(code.specifier);
    }
  }
  return [...seen];
}
