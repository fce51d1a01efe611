/**
 * Settings of the throttle and of proxies, as clients of the service meet them.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestService } from "@/tests/support/service.ts";
import type { Effect } from "./effect.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const KEY_WITH_APPID = "fedcba9876543210fedcba9876543210";
const start = {
  files: {
    "config/users.cfg": [
      "public: {}",
      `anna: {apikey: ${KEY}, databases: {Demo: {}}}`,
      "bert: {apikey: short-key}",
      `carl: {apikey: ${KEY_WITH_APPID}, appid: warehouse}`,
      "",
    ].join("\n"),
  },
};

/** Sends a key and returns the status and, for a refusal, the seconds to wait. */
async function send(
  service: TestService,
  apikey: string,
  headers: Record<string, string> = {},
): Promise<readonly [status: number, retryAfter: string | null]> {
  const answer = await service.fetch("/db.json", { headers: { apikey, ...headers } });
  await answer.body?.cancel();
  return [answer.status, answer.headers.get("retry-after")];
}

async function statuses(
  service: TestService,
  count: number,
  headers: (index: number) => Record<string, string> = () => ({}),
): Promise<readonly number[]> {
  const all: number[] = [];
  for (let index = 0; index < count; index++) {
    all.push((await send(service, `wrong${index}`, headers(index)))[0]);
  }
  return all;
}

/** Settings of the throttle, a test for each, with wrong keys as attempts. */
export const THROTTLE: readonly Effect[] = [
  {
    keys: ["login_throttle.rate", "login_throttle.burst"],
    title: "are 1 a minute and 5 at once, for keys as well",
    ini: [],
    start,
    async check(service) {
      assert.equal((await send(service, KEY))[0], 200);
      assert.deepEqual(await statuses(service, 5), [403, 403, 403, 403, 403]);
      const [status, retryAfter] = await send(service, "wrong");
      assert.equal(status, 429);
      assert.match(retryAfter ?? "", /^([1-9]|[1-5]\d|60)$/);
      assert.equal((await send(service, KEY))[0], 200, "a right key does not wait for wrong ones of others");
      for (const guessable of ["short-key", KEY_WITH_APPID, "x".repeat(40)]) {
        assert.equal((await send(service, guessable))[0], 429, "or guesses would go on");
      }
    },
  },
  {
    keys: ["login_throttle.burst"],
    title: "is how many wrong keys may come at once, over all workers",
    ini: ["login_throttle.burst = 8"],
    start: { ...start, args: ["--workers", "3"] },
    isProcess: true,
    async check(service) {
      const all = await Promise.all(Array.from({ length: 30 }, (_, index) => send(service, `wrong${index}`)));
      assert.equal(all.filter(([status]) => status === 403).length, 8);
      assert.equal(all.filter(([status]) => status === 429).length, 22);
    },
  },
  {
    keys: ["trusted_proxies"],
    title: "tell who their clients are",
    ini: ["trusted_proxies = 127.0.0.0/8, ::1", "login_throttle.burst = 1"],
    start,
    async check(service) {
      const from = (index: number) => ({ "X-Forwarded-For": `203.0.113.${index}` });
      assert.deepEqual(await statuses(service, 4, from), [403, 403, 403, 403]);
      assert.deepEqual(await statuses(service, 2, () => from(1)), [429, 429]);
      const spoofed = (index: number) => ({ "X-Forwarded-For": `198.51.100.${index}, 203.0.113.1` });
      assert.deepEqual(await statuses(service, 2, spoofed), [429, 429]);
      assert.doesNotMatch(await service.log(), /trusted_proxies is not set/);
    },
  },
  {
    keys: ["trusted_proxies"],
    title: "are none unless they are set, and the log says so once",
    ini: ["login_throttle.burst = 1"],
    start,
    async check(service) {
      const from = (index: number) => ({ "X-Forwarded-For": `203.0.113.${index}` });
      assert.deepEqual(await statuses(service, 3, from), [403, 429, 429]);
      assert.equal((await service.log()).match(/WARN .*trusted_proxies is not set/g)?.length, 1);
    },
  },
];
