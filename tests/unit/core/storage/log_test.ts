import assert from "node:assert/strict";
import { join } from "node:path";
import { ServiceError } from "@/core/errors.ts";
import { openLog } from "@/core/storage/log.ts";
import { ROOT } from "@/tests/support/root.ts";

const ROTATION = { maxSize: 1_000_000, kept: 1 };

/** The content of a log after some calls, with times replaced by TIME. */
function written(write: (log: ReturnType<typeof openLog>) => void): string {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  try {
    const path = join(directory, "not", "there");
    {
      using log = openLog(path, ROTATION);
      write(log);
    }
    const text = Deno.readTextFileSync(join(path, "rowhouse.log"));
    return text.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gm, "TIME");
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("the directory is made, and each message is a line with time and level", () => {
  assert.equal(
    written((log) => {
      log.info("started");
      log.warn("careful");
      log.error("broken");
    }),
    "TIME INFO started\nTIME WARN careful\nTIME ERROR broken\n",
  );
});

Deno.test("a message cannot begin a line of its own", () => {
  const forged = "user x\r\n2026-01-01T00:00:00.000Z INFO user admin logged in\nmore";
  const text = written((log) => {
    log.info(forged);
    log.warn(forged);
    log.error(forged);
  });
  assert.equal(text.split("\n").length, 4);
});

Deno.test("attack: a message moves no cursor and clears no screen of whoever reads it", () => {
  const text = written((log) => {
    log.info("user \x1b[2J\x1b]0;title\x07\x9b1A\u2028x\0");
    log.error("failed", "\x1b[1A\nnext\x1b[2K");
  });
  assert.equal(text, "TIME INFO user  [2J ]0;title 1A x \nTIME ERROR failed:  [1A\n    next [2K\n");
});

Deno.test("an error has its stack and causes, indented", () => {
  const text = written((log) => {
    log.error("The request failed", new Error("outer", { cause: new TypeError("inner") }));
  });
  const [first, ...rest] = text.trimEnd().split("\n");
  assert.equal(first, "TIME ERROR The request failed: Error: outer");
  assert.equal(rest.every((line) => line.startsWith("    ")), true);
  assert.equal(rest.some((line) => line === "    caused by TypeError: inner"), true);
});

Deno.test("attack: an error with a message of a megabyte, of a value from outside, fills no log", () => {
  for (const character of ["x", "é", "\n", "日"]) {
    const text = written((log) => {
      const cause = new RangeError(character.repeat(1_000_000));
      log.error(`Request ${"x".repeat(64)} failed`, new Error(character.repeat(1_000_000), { cause }));
    });
    assert.equal(new TextEncoder().encode(text).length <= 1000, true, `${text.length}`);
    assert.match(text, / {4}at /, "where it was thrown is told all the same");
  }
});

Deno.test("a thrown value that is no error is written, too", () => {
  assert.equal(written((log) => log.error("Failed", "just\ntext")), "TIME ERROR Failed: just\n    text\n");
});

Deno.test("nothing that a plugin throws keeps the line from being written", () => {
  const cyclic = new Error("again");
  cyclic.cause = cyclic;
  const refuse = () => {
    throw new Error("no");
  };
  const odd = Object.defineProperty(new Error("odd"), "message", { get: refuse });
  for (
    const cause of [
      Object.create(null),
      odd,
      new Proxy({}, { get: refuse, getPrototypeOf: refuse }),
      Symbol("x"),
    ]
  ) {
    const shown = typeof cause === "symbol" ? "Symbol(x)" : "something that cannot be shown";
    assert.equal(written((log) => log.error("Failed", cause)), `TIME ERROR Failed: ${shown}\n`);
    assert.match(written((log) => log.error("Failed", new Error("outer", { cause }))), /outer\n.*caused by/s);
  }
  assert.match(written((log) => log.error("Failed", cyclic)), /caused by Error: again/);
});

Deno.test("a log that is there is added to", () => {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  for (const message of ["one", "two"]) {
    using log = openLog(directory, ROTATION);
    log.info(message);
  }
  assert.match(Deno.readTextFileSync(join(directory, "rowhouse.log")), /INFO one\n.*INFO two\n$/);
  assert.equal((Deno.statSync(join(directory, "rowhouse.log")).mode ?? 0) & 0o007, 0, "not for everybody");
  Deno.removeSync(directory, { recursive: true });
});

Deno.test("a line begins anew behind one that another process or worker has written in part", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  const path = join(directory, "rowhouse.log");
  const cut = (text: string) => Deno.writeTextFileSync(path, text, { append: true });
  cut("a line that was cu");
  {
    using log = openLog(directory, ROTATION);
    log.info("one");
    log.info("two");
    cut("another line that was cu");
    await new Promise((resolve) => setTimeout(resolve, 150));
    log.info("three");
  }
  assert.match(
    Deno.readTextFileSync(path),
    /^a line that was cu\n\S+ INFO one\n\S+ INFO two\nanother line that was cu\n\S+ INFO three\n$/,
  );
  Deno.removeSync(directory, { recursive: true });
});

Deno.test("a log that cannot be written is refused with its directory", () => {
  const file = Deno.makeTempFileSync();
  assert.throws(
    () => openLog(file, ROTATION),
    (error: unknown) =>
      error instanceof ServiceError &&
      error.message.startsWith(`Cannot write a log into "${file}" (--log-dir `),
  );
  Deno.removeSync(file);
});

Deno.test({
  name: "a log that takes nothing more, with standard error on the same disk, stops nothing",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
    try {
      Deno.symlinkSync("/dev/full", join(directory, "rowhouse.log"));
      const script = `
        import { openLog } from "@/core/storage/log.ts";
        openLog(Deno.args[0], { maxSize: 1000, kept: 1 }).error("lost");
        console.log("goes on");
      `;
      const { stdout } = await new Deno.Command("sh", {
        args: [
          "-c",
          `exec "$0" eval --no-check --cached-only --ext=ts "$1" "$2" 2>/dev/full`,
          Deno.execPath(),
          script,
          directory,
        ],
        cwd: ROOT,
      }).output();
      assert.equal(new TextDecoder().decode(stdout), "goes on\n");
    } finally {
      Deno.removeSync(directory, { recursive: true });
    }
  },
});
