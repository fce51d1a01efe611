import assert from "node:assert/strict";
import { openAudit } from "@/core/storage/audit.ts";
import { openBucketFile } from "@/core/identity/throttle/bucket_file.ts";
import { SharedBuckets } from "@/core/identity/throttle/bucket_cache.ts";
import type { BucketStore } from "@/core/identity/throttle/buckets.ts";
import { Throttle } from "@/core/identity/throttle/throttle.ts";
import { SILENT } from "@/core/storage/log.ts";
import { Clock } from "@/tests/conformance/session_place.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { CACHE_SERVERS, openCache } from "@/tests/support/shared_caches.ts";
import { FIVE, KEY, LIMITS, NONE, outcome, outcomes } from "./attempts.ts";

/** Opens the throttle of one process; each call is another process on the same place. */
interface Place extends AsyncDisposable {
  open(): Promise<BucketStore>;
}

function filePlace(clock: Clock): Place {
  const directory = new TestDirectory();
  const path = directory.file("throttle");
  return {
    open: () => openBucketFile({ path, key: KEY, log: SILENT, now: clock.now }),
    [Symbol.asyncDispose]: () => Promise.resolve(directory[Symbol.dispose]()),
  };
}

/** Nodes share the cache, not their directories. */
async function cachePlace({ name, start }: (typeof CACHE_SERVERS)[number], clock: Clock): Promise<Place> {
  const stack = new AsyncDisposableStack();
  const { address: location } = stack.use(await start());
  return {
    async open() {
      const directory = stack.use(new TestDirectory());
      const fallback = await openBucketFile({
        path: directory.file("throttle"),
        key: KEY,
        log: SILENT,
        now: clock.now,
      });
      const cache = openCache(name, { location, log: SILENT, purpose: "the login throttle" });
      return new SharedBuckets({ cache, fallback, now: clock.now });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const PLACES:
  readonly (readonly [name: string, missing: boolean, open: (clock: Clock) => Place | Promise<Place>])[] = [
    ["a file", false, filePlace],
    ...CACHE_SERVERS.map((server) =>
      [server.name, server.missing !== undefined, (clock: Clock) => cachePlace(server, clock)] as const
    ),
  ];

type ThrottleTest = (
  bench: { readonly clock: Clock; readonly throttle: Throttle; another(): Promise<Throttle> },
) => Promise<void>;

const TESTS: Readonly<Record<string, ThrottleTest>> = {
  async "refuses the sixth login from an address, whatever the logins are"({ throttle, clock }) {
    assert.deepEqual(await outcomes(6, (index) => throttle.beginForm("192.0.2.1", `u${index}`)), [
      ...FIVE,
      "60",
    ]);
    assert.equal(await outcome(throttle.beginForm("192.0.2.2", "u")), NONE);
    clock.pass(59_500);
    assert.equal(await outcome(throttle.beginForm("192.0.2.1", "v")), "1");
    clock.pass(500);
    assert.deepEqual(await outcomes(2, () => throttle.beginForm("192.0.2.1", "v")), [NONE, "60"]);
  },

  async "counts logins that succeed for the address, and not for the login"({ throttle }) {
    const succeed = async (index: number) =>
      await (await throttle.beginForm(`192.0.2.${index}`, "anna")).succeeded();
    assert.deepEqual(await outcomes(12, succeed), Array(12).fill(NONE));
    const sameAddress = async () => await (await throttle.beginForm("198.51.100.1", "bert")).succeeded();
    assert.deepEqual(await outcomes(6, sameAddress), [...FIVE, "60"]);
  },

  async "refuses the sixth failure for a login in a network, and lets others try it"({ throttle }) {
    const guess = (index: number) =>
      (index % 2 ? throttle.beginForm : throttle.beginPassword)
        .call(throttle, "192.0.2.1", "anna");
    assert.deepEqual(await outcomes(6, guess), [...FIVE, "60"]);
    assert.equal(await outcome(throttle.beginForm("192.0.2.1", "bert")), NONE);
    assert.equal(await outcome(throttle.beginForm("192.0.2.2", "anna")), NONE);
  },

  async "attack: strangers lock nobody out, whatever they try"({ throttle, clock }) {
    for (let network = 0; network < 30; network++) {
      await outcomes(6, () => throttle.beginForm(`198.51.100.${network}`, "anna"));
    }
    const right = async () => await (await throttle.beginForm("192.0.2.1", "anna")).succeeded();
    assert.deepEqual(await outcomes(4, right), [NONE, NONE, NONE, NONE]);
    clock.pass(60_000);
    assert.equal(await outcome(throttle.beginPassword("192.0.2.2", "anna")), NONE);
  },

  async "slows a login that fails a hundred times an hour: an attempt in five minutes for each network"(
    { throttle, clock },
  ) {
    const guess = (network: number) =>
      throttle.beginPassword(`198.51.${network >> 8}.${network & 255}`, "anna");
    assert.deepEqual(await outcomes(101, guess), Array(101).fill(NONE));
    assert.deepEqual(await outcomes(2, () => guess(1000)), [NONE, "300"]);
    const right = async () => await (await throttle.beginForm("192.0.2.1", "anna")).succeeded();
    assert.deepEqual(await outcomes(2, right), [NONE, NONE], "the right password passes");
    assert.deepEqual(await outcomes(2, () => throttle.beginForm("192.0.2.9", "bert")), [NONE, NONE]);
    clock.pass(300_000);
    assert.equal(await outcome(guess(1000)), NONE);
    clock.pass(3_600_000);
    assert.deepEqual(await outcomes(2, () => guess(1001)), [NONE, NONE], "it is over when it is quiet");
  },

  async "attack: an IPv6 customer guesses from a new network of the same /48 each time"({ throttle }) {
    const guess = (index: number) => throttle.beginPassword(`2001:db8:1:${index.toString(16)}::/64`, "anna");
    assert.deepEqual(await outcomes(101, guess), Array(101).fill(NONE));
    assert.deepEqual(await outcomes(30, (index) => guess(1000 + index)), Array(30).fill("300"));
    assert.equal(await outcome(throttle.beginPassword("2001:db8:2:1::/64", "anna")), NONE);
  },

  async "counts guesses that come at once before it knows how they end"({ throttle }) {
    const guesses = Array.from({ length: 30 }, () => outcome(throttle.beginPassword("192.0.2.1", "anna")));
    assert.equal((await Promise.all(guesses)).filter((retryAfter) => retryAfter === NONE).length, 5);
  },

  async "counts failures for a login in a network together, by form and by Basic"({ throttle }) {
    await outcomes(3, () => throttle.beginForm("192.0.2.1", "anna"));
    const basic = () => throttle.beginPassword("192.0.2.1", "anna");
    assert.deepEqual(await outcomes(3, basic), [NONE, NONE, "60"]);
  },

  async "does not count what Basic gets right"({ throttle }) {
    const succeed = async () => await (await throttle.beginPassword("192.0.2.1", "anna")).succeeded();
    assert.deepEqual(await outcomes(20, succeed), Array(20).fill(NONE));
    assert.deepEqual(await outcomes(6, () => throttle.beginPassword("192.0.2.1", "anna")), [...FIVE, "60"]);
  },

  async "counts messages of providers apart, so that nobody with a password or a key waits for them"(
    { throttle },
  ) {
    assert.deepEqual(await outcomes(6, () => throttle.countMessage("192.0.2.1")), [...FIVE, "60"]);
    assert.equal(await outcome(throttle.countFailure("192.0.2.1")), NONE);
    assert.equal(await outcome(throttle.beginPassword("192.0.2.1", "anna")), NONE);
    assert.equal(await outcome(throttle.beginForm("192.0.2.1", "anna")), NONE);
    assert.equal(await outcome(throttle.countMessage("192.0.2.2")), NONE);
  },

  async "counts wrong keys and wrong Basic passwords of an address together"({ throttle }) {
    await outcomes(3, () => throttle.countFailure("192.0.2.1"));
    const basic = (index: number) => throttle.beginPassword("192.0.2.1", `u${index}`);
    assert.deepEqual(await outcomes(3, basic), [NONE, NONE, "60"]);
    assert.equal(await outcome(throttle.countFailure("192.0.2.1")), "60");
    assert.equal(await outcome(throttle.countFailure("192.0.2.2")), NONE);
  },

  async "takes nothing from the other bucket when one is empty"({ throttle, clock }) {
    const form = (index: number) => throttle.beginForm("192.0.2.1", `u${index}`);
    const basic = () => throttle.beginPassword("192.0.2.1", "anna");
    await outcomes(5, basic);
    assert.deepEqual(await outcomes(10, () => throttle.beginForm("192.0.2.1", "anna")), Array(10).fill("60"));
    assert.deepEqual(await outcomes(6, form), [...FIVE, "60"]);
    clock.pass(60_000);
    assert.equal(await outcome(basic()), NONE);
  },

  async "knows who waits for wrong keys, so that no key of theirs is looked up"({ throttle, clock }) {
    const client = { network: "192.0.2.1" };
    const turn = (who = client) => outcome(Promise.try(() => throttle.requireTurn(who)));
    await outcomes(5, () => throttle.countFailure(client.network));
    assert.equal(await turn(), NONE, "there is one more look-up, and the refusal that tells of it");
    await outcomes(1, () => throttle.countFailure(client.network));
    assert.equal(await turn(), "60");
    assert.equal(await turn({ network: "192.0.2.2" }), NONE);
    clock.pass(60_000);
    assert.equal(await turn(), NONE);
    await outcomes(2, () => throttle.countFailure(client.network));
    assert.equal(await turn(), "60");
  },

  async "counts new passwords that are too weak for whoever sends them"({ throttle }) {
    const strong = async () => await (await throttle.beginChange("rating", "anna")).succeeded();
    assert.deepEqual(await outcomes(10, strong), Array(10).fill(NONE));
    assert.deepEqual(await outcomes(6, () => throttle.beginChange("rating", "anna")), [...FIVE, "60"]);
    assert.equal(await outcome(throttle.beginChange("rating", "bert")), NONE);
    assert.equal(await outcome(throttle.beginForm("192.0.2.1", "anna")), NONE);
  },

  async "is one for all processes"({ throttle, another }) {
    const other = await another();
    const guess = (index: number) => (index % 2 ? other : throttle).beginForm("192.0.2.1", "anna");
    assert.deepEqual(await outcomes(6, guess), [...FIVE, "60"]);
    assert.equal(await outcome(other.beginPassword("192.0.2.1", "anna")), "60");
  },

  async "lets no more through when many processes ask at once"({ throttle, another }) {
    const all = [throttle, await another(), await another(), await another()];
    const guesses = all.flatMap((each) =>
      Array.from({ length: 25 }, () => outcome(each.beginForm("192.0.2.1", "anna")))
    );
    assert.equal((await Promise.all(guesses)).filter((retryAfter) => retryAfter === NONE).length, 5);
  },

  async "takes any text for a login"({ throttle }) {
    const logins = ["", "\0", "\ud800", "a b\r\nset x", "x".repeat(100_000), "__proto__"];
    for (const [position, login] of logins.entries()) {
      const guess = () => throttle.beginForm(`192.0.2.${position}`, login);
      assert.deepEqual(await outcomes(6, guess), [...FIVE, "60"]);
    }
  },
};

for (const [place, missing, open] of PLACES) {
  for (const [title, test] of Object.entries(TESTS)) {
    const reason = missing ? ` (skipped: ${place} is not installed)` : "";
    Deno.test({
      name: `the throttle in ${place} ${title}${reason}`,
      ignore: missing,
      async fn() {
        const clock = new Clock();
        await using stack = new AsyncDisposableStack();
        const opened = stack.use(await open(clock));
        const another = async () =>
          stack.use(new Throttle(await opened.open(), LIMITS, { audit: NO_AUDIT, now: clock.now }));
        await test({ clock, throttle: await another(), another });
      },
    });
  }
}

Deno.test("the throttle says how long to wait in whole seconds, rounded up", async () => {
  const clock = new Clock();
  await using place = filePlace(clock);
  await using throttle = new Throttle(await place.open(), { burst: 1, interval: 1500 }, { audit: NO_AUDIT });
  await throttle.countFailure("192.0.2.1");
  const refusal = (text: string, seconds: string) => ({
    code: "too-many-requests",
    message: `Too many attempts: try again in ${text}`,
    headers: { "Retry-After": seconds },
  });
  await assert.rejects(throttle.countFailure("192.0.2.1"), refusal("2 seconds", "2"));
  clock.pass(500);
  await assert.rejects(throttle.countFailure("192.0.2.1"), refusal("1 second", "1"));
  clock.pass(1000);
  await throttle.countFailure("192.0.2.1");
});

Deno.test("a network that tries too often has one line a minute in the audit log, whomever it tries", async () => {
  const clock = new Clock();
  using directory = new TestDirectory();
  await using place = filePlace(clock);
  using audit = openAudit(directory.path, { maxSize: 1_000_000, kept: 1 }, clock.now);
  await using throttle = new Throttle(await place.open(), LIMITS, { audit, now: clock.now });
  const lines = () => {
    const text = Deno.readTextFileSync(directory.file("audit.log")).trimEnd();
    return text.split("\n").map((line) => JSON.parse(line)).map(({ address, user }) => [address, user]);
  };
  await outcomes(20, () => throttle.beginForm("192.0.2.1", "anna"));
  await outcomes(20, (index) => throttle.beginForm("192.0.2.1", `u${index}`));
  await outcomes(20, () => throttle.countFailure("192.0.2.2"));
  assert.deepEqual(lines(), [["192.0.2.1", "anna"], ["192.0.2.2", undefined]]);
  clock.pass(59_999);
  await outcomes(2, () => throttle.beginForm("192.0.2.1", "anna"));
  assert.equal(lines().length, 2);
  clock.pass(1);
  await outcomes(2, () => throttle.beginForm("192.0.2.1", "anna"));
  assert.equal(lines().length, 3);
});
