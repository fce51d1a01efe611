import assert from "node:assert/strict";
import { parseCommand } from "@/config/command_line.ts";
import { UsageError } from "@/config/option_values.ts";
import { runMain } from "@/tests/support/process.ts";

const HELP: readonly (readonly [args: readonly string[], parts: readonly string[]])[] = [
  [["--help"], ["Usage: main.ts COMMAND", "serve", "check", "init DIR", "set-password USER"]],
  [["-h"], ["Usage: main.ts COMMAND"]],
  [["help"], ["Usage: main.ts COMMAND"]],
  [["plugin", "--help"], ["Usage: main.ts COMMAND", "plugin new KIND NAME"]],
  [["serve", "--help"], [
    "Usage: main.ts serve",
    "--home DIR",
    "ROWHOUSE_HOME",
    "--config-dir DIR",
    "--state-dir DIR",
    "--log-dir DIR",
    "--host ADDRESS",
    "127.0.0.1",
    "--port NUMBER",
    "8080",
    "--base-url URL",
    "--workers N",
    "--shared-port",
    "--adapter deno|node",
  ]],
  [["check", "-h"], ["Usage: main.ts check", "--home DIR", "exit 1"]],
  [["init", "--help"], ["Usage: main.ts init DIR"]],
  [["set-password", "--help"], ["Usage: main.ts set-password USER", "ROWHOUSE_PASSWORD"]],
];

for (const [args, parts] of HELP) {
  Deno.test(`main.ts ${args.join(" ")} explains itself`, () => {
    const command = parseCommand(args, {});
    assert.equal(command.name, "help");
    const text = command.name === "help" ? command.text : "";
    assert.deepEqual(parts.filter((part) => !text.includes(part)), []);
  });
}

const WRONG: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [
    ["nonsense"],
    /^There is no command "nonsense": use serve, check, init, set-password, backup, restore, licence issue, licence show, plugin new, plugin check, plugin pack, plugin list$/,
  ],
  [
    ["plugin", "renew"],
    /^There is no command "plugin": use plugin new, plugin check, plugin pack, plugin list$/,
  ],
  [["serve", "extra"], /^Usage: main\.ts serve \[options\]$/],
  [
    ["serve", "--bogus"],
    /^Unknown option '--bogus'\nUsage: main\.ts serve \[options\] \(--help lists them\)$/,
  ],
  [["init", "--force", "a"], /^Unknown option '--force'\nUsage: main\.ts init DIR$/],
  [["serve", "--port"], /--port[^]*\nUsage: main\.ts serve/],
  [["serve", "--port", "x"], /^--port is a whole number from 0 to 65535, not "x"$/],
  [["serve", "--port", "65536"], /^--port is a whole number from 0 to 65535, not "65536"$/],
  [["serve", "--port", "-1"], /--port/],
  [["serve", "--workers", "0"], /^--workers is a whole number from 1 to 256, not "0"$/],
  [["serve", "--workers", "1.5"], /^--workers is a whole number/],
  [["serve", "--adapter", "bun"], /^--adapter is deno or node, not "bun"$/],
  [["serve", "--base-url", "example.com/api"], /^--base-url is an http or https address/],
  [["serve", "--base-url", "ftp://example.com"], /^--base-url is an http or https address/],
  [["serve", "--base-url", "https://example.com/?x"], /^--base-url is an http or https address/],
  [["serve", "--base-url", "https://example.com//api"], /^--base-url is an http or https address/],
  [["serve", "--home", ""], /^--home must not be empty$/],
  [["check", "--port", "1"], /--port[^]*\nUsage: main\.ts check/],
  [["init"], /^Usage: main\.ts init DIR$/],
  [["init", "a", "b"], /^Usage: main\.ts init DIR$/],
  [["backup"], /^Usage: main\.ts backup DIR \[options\]$/],
  [["backup", ""], /^Usage: main\.ts backup DIR \[options\]$/],
  [["restore"], /^Usage: main\.ts restore DIR \[options\]$/],
  [["set-password"], /^Usage: main\.ts set-password USER \[options\]$/],
];

for (const [args, message] of WRONG) {
  Deno.test(`main.ts ${args.join(" ")} is refused with what is to be written`, () => {
    assert.throws(
      () => parseCommand(args, {}),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
    );
  });
}

Deno.test("a usage error goes to standard error and exits 2", async () => {
  const { code, stdout, stderr } = await runMain(["serve", "--port", "x"]);
  assert.deepEqual({ code, stdout, stderr }, {
    code: 2,
    stdout: "",
    stderr: '--port is a whole number from 0 to 65535, not "x"\n',
  });
});

Deno.test("help goes to standard output and exits 0", async () => {
  const { code, stdout, stderr } = await runMain(["serve", "--help"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  assert.match(stdout, /^Usage: main\.ts serve \[options\]\n/);
});

Deno.test("no command means serve", () => {
  assert.deepEqual(parseCommand([], {}), parseCommand(["serve"], {}));
  assert.deepEqual(parseCommand(["--port", "9000"], {}), parseCommand(["serve", "--port", "9000"], {}));
});

Deno.test("the dashes that other runners of tasks need before options are ignored", () => {
  const serve = parseCommand(["serve", "--port", "9000"], {});
  assert.deepEqual(parseCommand(["serve", "--", "--port", "9000"], {}), serve);
});

Deno.test("serve listens on 127.0.0.1:8080 with one worker below ./.rowhouse unless told otherwise", () => {
  assert.deepEqual(parseCommand(["serve"], {}), {
    name: "serve",
    directories: {
      home: "./.rowhouse",
      config: ".rowhouse/config",
      state: ".rowhouse/state",
      log: ".rowhouse/log",
    },
    host: "127.0.0.1",
    port: 8080,
    workers: 1,
    sharedPort: false,
  });
});

Deno.test("each directory's own option goes before --home, and --home before ROWHOUSE_HOME", () => {
  const directoriesOf = (args: readonly string[], home = "/env") => {
    const command = parseCommand(["check", ...args], { ROWHOUSE_HOME: home });
    return command.name === "check" ? command.directories : undefined;
  };
  assert.deepEqual(directoriesOf([]), {
    home: "/env",
    config: "/env/config",
    state: "/env/state",
    log: "/env/log",
  });
  assert.deepEqual(directoriesOf(["--home", "/h", "--state-dir", "/s"]), {
    home: "/h",
    config: "/h/config",
    state: "/s",
    log: "/h/log",
  });
  assert.deepEqual(directoriesOf(["--config-dir", "/c", "--log-dir", "/l"]), {
    home: "/env",
    config: "/c",
    state: "/env/state",
    log: "/l",
  });
  assert.equal(directoriesOf([], "")?.home, "./.rowhouse", "an empty variable counts as none");
});
