import assert from "node:assert/strict";
import { openBucketFile } from "@/core/identity/throttle/bucket_file.ts";
import { SharedBuckets } from "@/core/identity/throttle/bucket_cache.ts";
import { Throttle } from "@/core/identity/throttle/throttle.ts";
import { SILENT } from "@/core/storage/log.ts";
import { Clock } from "@/tests/conformance/session_place.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { freePort } from "@/tests/support/servers/programs.ts";
import { openCache } from "@/tests/support/shared_caches.ts";
import { FIVE, KEY, LIMITS, outcome, outcomes } from "./attempts.ts";

Deno.test("without its shared cache the throttle counts for this node, and goes back to it later", async () => {
  using directory = new TestDirectory();
  const clock = new Clock();
  const fallback = await openBucketFile({
    path: directory.file("throttle"),
    key: KEY,
    log: SILENT,
    now: clock.now,
  });
  const location = `redis://127.0.0.1:${freePort()}`;
  const cache = openCache("redis", { location, log: SILENT, purpose: "the login throttle" });
  let asked = 0;
  const get = cache.get.bind(cache);
  cache.get = (key) => {
    asked++;
    return get(key);
  };
  await using throttle = new Throttle(new SharedBuckets({ cache, fallback, now: clock.now }), LIMITS, {
    audit: NO_AUDIT,
  });
  assert.deepEqual(await outcomes(6, () => throttle.countFailure("192.0.2.1")), [...FIVE, "60"]);
  assert.equal(asked, 1, "the cache is left alone for a while");
  clock.pass(5000);
  await outcome(throttle.countFailure("192.0.2.2"));
  assert.equal(asked, 2);
  clock.pass(-3_600_000);
  await outcome(throttle.countFailure("192.0.2.3"));
  assert.equal(asked, 3, "also after the clock was set back");
});
