import assert from "node:assert/strict";
import { openBucketFile } from "@/core/identity/throttle/bucket_file.ts";
import { take } from "@/core/identity/throttle/buckets.ts";
import { Throttle } from "@/core/identity/throttle/throttle.ts";
import { SILENT } from "@/core/storage/log.ts";
import { Clock } from "@/tests/conformance/session_place.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { ROOT } from "@/tests/support/root.ts";
import { FIVE, KEY, LIMITS, NONE, outcomes } from "./attempts.ts";

Deno.test("a flood of addresses and logins does not make the throttle's file grow", async () => {
  using directory = new TestDirectory();
  const path = directory.file("throttle");
  const clock = new Clock();
  await using throttle = new Throttle(
    await openBucketFile({ path, key: KEY, log: SILENT, now: clock.now }),
    LIMITS,
    { audit: NO_AUDIT },
  );
  const before = Deno.statSync(path).size;
  for (let index = 0; index < 5000; index++) {
    await throttle.beginForm(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, `user${index}`);
  }
  assert.equal(Deno.statSync(path).size, before);
  assert.equal(before, 1_048_576);
});

Deno.test("a flood of addresses does not wash away how often logins fail", async () => {
  using directory = new TestDirectory();
  const path = directory.file("throttle");
  const file = await openBucketFile({ path, key: KEY, log: SILENT, now: new Clock().now, sets: 16 });
  await using throttle = new Throttle(file, LIMITS, { audit: NO_AUDIT });
  await outcomes(100, (index) => throttle.beginForm(`192.0.2.${index}`, "anna"));
  for (let index = 0; index < 2000; index++) {
    await outcomes(2, () => throttle.countFailure(`10.0.${index >> 8}.${index & 255}`));
    await take(file, [{ kind: "login", login: `u${index}` }], LIMITS);
  }
  assert.deepEqual(await outcomes(2, () => throttle.beginForm("192.0.3.1", "anna")), [NONE, "300"]);
});

Deno.test("after the clock was set back by an hour nobody waits", async () => {
  using directory = new TestDirectory();
  const path = directory.file("throttle");
  const clock = new Clock();
  await using throttle = new Throttle(
    await openBucketFile({ path, key: KEY, log: SILENT, now: clock.now }),
    LIMITS,
    { audit: NO_AUDIT },
  );
  const guess = () => throttle.beginForm("192.0.2.1", "anna");
  assert.deepEqual(await outcomes(1, guess), [NONE]);
  await outcomes(5, guess);
  clock.pass(-3_600_000);
  assert.deepEqual(await outcomes(6, guess), [...FIVE, "60"]);
});

Deno.test("a throttle file that was damaged or cut off counts anew", async () => {
  using directory = new TestDirectory({ throttle: "\xff".repeat(3000) });
  const clock = new Clock();
  const path = directory.file("throttle");
  await using throttle = new Throttle(
    await openBucketFile({ path, key: KEY, log: SILENT, now: clock.now }),
    LIMITS,
    { audit: NO_AUDIT },
  );
  const guess = () => throttle.beginForm("192.0.2.1", "anna");
  assert.deepEqual(await outcomes(6, guess), [...FIVE, "60"]);
  Deno.truncateSync(path, 0);
  assert.deepEqual(await outcomes(6, guess), [...FIVE, "60"]);
});

Deno.test("the throttle's file is for its owner only and holds no login or address", async () => {
  using directory = new TestDirectory();
  const path = directory.file("throttle");
  await using throttle = new Throttle(
    await openBucketFile({ path, key: KEY, log: SILENT, now: Date.now }),
    LIMITS,
    { audit: NO_AUDIT },
  );
  await throttle.beginForm("192.0.2.77", "anna-planted");
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(path));
  assert.equal(text.includes("anna") || text.includes("192.0.2"), false);
  assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
});

Deno.test("a lock that another process never gives back is 503 and no endless wait", async () => {
  using directory = new TestDirectory();
  const path = directory.file("throttle");
  await using throttle = new Throttle(
    await openBucketFile({ path, key: KEY, log: SILENT, now: Date.now, longestWait: 20 }),
    LIMITS,
    { audit: NO_AUDIT },
  );
  {
    using held = Deno.openSync(path, { write: true });
    held.lockSync(true);
    await assert.rejects(throttle.countFailure("192.0.2.1"), { code: "unavailable" });
  }
  await throttle.countFailure("192.0.2.1");
});

/** Prints the wait of each attempt, and the log. */
const ON_FULL_DISK = `
  import { openBucketFile } from "@/core/identity/throttle/bucket_file.ts";
  import { giveBack, take } from "@/core/identity/throttle/buckets.ts";
  const log = { info() {}, warn: (text) => console.log(text), error() {} };
  const key = new Uint8Array(32);
  const file = await openBucketFile({ path: Deno.args[0], key, log, now: () => 0 });
  for (let attempt = 0; attempt < 3; attempt++) {
    console.log(await take(file, [{ kind: "form", login: "anna" }], { burst: 2, interval: 1000 }));
  }
  await giveBack(file, [{ kind: "form", login: "anna" }], { burst: 2, interval: 1000 });
  console.log(await take(file, [{ kind: "form", login: "anna" }], { burst: 2, interval: 1000 }));
`;

Deno.test({
  name: "a throttle whose disk is full counts in memory and says so once",
  ignore: Deno.build.os === "windows",
  async fn() {
    using directory = new TestDirectory();
    const path = directory.file("throttle");
    const file = await openBucketFile({ path, key: KEY, log: SILENT, now: Date.now });
    await file[Symbol.asyncDispose]();
    // The limit refuses every write to a file, as a full disk does.
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: [
        "-c",
        `trap "" XFSZ; ulimit -f 0; exec "$0" eval --no-check --cached-only --ext=ts "$1" "$2"`,
        Deno.execPath(),
        ON_FULL_DISK,
        path,
      ],
      cwd: ROOT,
    }).output();
    const lines = new TextDecoder().decode(stdout).trim().split("\n");
    assert.match(
      lines.shift() ?? "",
      /^Login attempts are counted in memory only: /,
      new TextDecoder().decode(stderr),
    );
    assert.deepEqual(lines, ["0", "0", "1000", "0"]);
  },
});
