import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { verify } from "@node-rs/argon2";
import { runMain, START } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { findProgram } from "@/tests/support/servers/programs.ts";
import { inHome } from "@/tests/support/service.ts";
import { inTime } from "@/tests/support/until.ts";

const STRONG = "walrus-teapot-meridian-42";

/** Runs set-password in a separate home; returns the outcome and the files afterwards. */
async function setPassword(user: string, given: { readonly stdin?: string; readonly env?: string }) {
  return await inHome({}, async (home) => {
    const result = await runMain(["set-password", user, "--home", home], {
      ...(given.stdin === undefined ? {} : { stdin: given.stdin }),
      env: given.env === undefined ? {} : { ROWHOUSE_PASSWORD: given.env },
    });
    const users = await Deno.readTextFile(join(home, "config", "users.cfg"));
    const [, hash] = /password: (\$argon2id\$\S+)/.exec(users) ?? [];
    return { ...result, users, hash, isFirstRun: existsSync(join(home, "config", "regular-initial")) };
  });
}

const WAYS: readonly (readonly [name: string, given: { stdin?: string; env?: string }])[] = [
  ["standard input", { stdin: STRONG }],
  ["a line of standard input", { stdin: `${STRONG}\n` }],
  ["a line of standard input as Windows ends it", { stdin: `${STRONG}\r\n` }],
  ["ROWHOUSE_PASSWORD", { env: STRONG }],
];

for (const [name, given] of WAYS) {
  Deno.test(`set-password reads the password from ${name} and ends the first run`, async () => {
    const { code, stdout, stderr, hash = "", users, isFirstRun } = await setPassword("admin", given);
    assert.deepEqual({ code, stdout, stderr, isFirstRun }, {
      code: 0,
      stdout: "The password of admin is set\n",
      stderr: "",
      isFirstRun: false,
    });
    assert.equal(await verify(hash, STRONG), true);
    assert.match(users, /^# The users by login\./, "what the operator wrote is kept");
  });
}

Deno.test({
  name: "set-password asks at a terminal, and takes one line, which is not shown",
  ignore: findProgram("script") === undefined,
  async fn() {
    await inHome({}, async (home) => {
      const program = [Deno.execPath(), "run", ...START, "--cached-only", join(ROOT, "main.ts")];
      const command = [...program, "set-password", "admin", "--home", home].join(" ");
      const child = new Deno.Command("script", {
        args: ["--quiet", "--return", "--command", command, "/dev/null"],
        env: { NO_COLOR: "1" },
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const terminal = child.stdin.getWriter();
      let shown = "";
      for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
        shown += part;
        // A mistake, taken back with a key.
        if (part.includes("not shown: ")) await terminal.write(new TextEncoder().encode(`${STRONG}ü\x7f\n`));
      }
      const { code } = await inTime(child.status, "The end of the command");
      assert.match(shown, /^The new password, which is not shown: \s+The password of admin is set\s+$/);
      assert.equal(code, 0, shown);
      await terminal.close().catch(() => {});
      const users = await Deno.readTextFile(join(home, "config", "users.cfg"));
      const [, hash = ""] = /password: (\$argon2id\$\S+)/.exec(users) ?? [];
      assert.equal(await verify(hash, STRONG), true, shown);
    });
  },
});

Deno.test("a password of another user leaves the first run to be done", async () => {
  const { code, isFirstRun } = await setPassword("public", { env: STRONG });
  assert.deepEqual({ code, isFirstRun }, { code: 0, isFirstRun: true });
});

Deno.test("set-password refuses a weak password with exit code 1 and changes nothing", async () => {
  const { code, stdout, stderr, hash, isFirstRun } = await setPassword("admin", { env: "password" });
  assert.deepEqual({ code, stdout, hash, isFirstRun }, {
    code: 1,
    stdout: "",
    hash: undefined,
    isFirstRun: true,
  });
  assert.match(
    stderr,
    /^Cannot set password of "admin": it is too easy to guess, choose a longer one\. .*Add more words.*\n$/,
  );
});

Deno.test("set-password says in a sentence that another process does not let go of users.cfg", async () => {
  await inHome({ files: { "config/users.cfg.lock": "" } }, async (home) => {
    const lock = join(home, "config", "users.cfg.lock");
    using held = await Deno.open(lock, { write: true });
    held.lockSync(true);
    const { code, stderr } = await runMain(["set-password", "admin", "--home", home], {
      env: { ROWHOUSE_PASSWORD: STRONG },
    });
    assert.deepEqual([code, stderr], [1, `Cannot lock "${lock}": another process has held it for 10 s\n`]);
  });
});
