/** @module A log on a disk that takes a part of a line only, or nothing. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { inTime } from "@/tests/support/until.ts";

/** Runs a script whose files take a thousand bytes. */
const LIMITED =
  `trap "" XFSZ; exec prlimit --fsize=1000:unlimited "$0" eval --no-check --cached-only --ext=ts "$1" "$2"`;

const PARTLY = `
  import { openLog } from "@/core/storage/log.ts";
  const log = openLog(Deno.args[0], { maxSize: 100000, kept: 1 });
  for (const name of ["first", "second", "third"]) log.info(name + " " + "x".repeat(700) + " end of " + name);
  await new Deno.Command("prlimit", { args: ["--pid=" + Deno.pid, "--fsize=unlimited:unlimited"] }).output();
  log.info("fourth end of fourth");
`;

/** Lines of several times the size of a pipe. */
const MANY = `
  import { openLog } from "@/core/storage/log.ts";
  const log = openLog(Deno.args[0], { maxSize: 100000, kept: 1 });
  for (let line = 0; line < 1000; line++) log.info("x".repeat(700));
  console.log("it goes on");
  await new Response(Deno.stdin.readable).text();
  Deno.exit(7);
`;

Deno.test({
  name: "a reader of standard error that has stopped holds nothing up",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    const child = new Deno.Command("sh", {
      args: ["-c", LIMITED, Deno.execPath(), MANY, directory],
      cwd: ROOT,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    try {
      const output = child.stdout.getReader();
      const { value } = await inTime(output.read(), "A sign of life").catch((error) => {
        child.kill("SIGKILL");
        throw error;
      });
      assert.equal(new TextDecoder().decode(value), "it goes on\n");
      await output.cancel();
      await child.stdin.close();
      assert.equal((await inTime(child.status, "The end of the process")).code, 7);
    } finally {
      await child.stderr.cancel();
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "a line that is written in part goes to standard error whole, and the next one begins anew",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    try {
      const { stderr, success } = await new Deno.Command("sh", {
        args: ["-c", LIMITED, Deno.execPath(), PARTLY, directory],
        cwd: ROOT,
        env: { NO_COLOR: "1" },
      }).output();
      const told = new TextDecoder().decode(stderr);
      assert.ok(success, told);
      const lines = (await Deno.readTextFile(join(directory, "rowhouse.log"))).trimEnd().split("\n");
      assert.match(lines[0] ?? "", /end of first$/);
      assert.match(lines[1] ?? "", / INFO second x+$/);
      assert.match(lines.at(-1) ?? "", /^\S+Z INFO fourth end of fourth$/);
      assert.match(told, /^\S+Z INFO second x+ end of second$/m);
      assert.match(told, /^\S+Z INFO third x+ end of third$/m);
      assert.match(told, /only \d+ of \d+ bytes were written/);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
