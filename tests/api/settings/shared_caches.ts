/**
 * Settings of shared caches: which purpose asks which cache, none of which is there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@/tests/support/servers/programs.ts";
import { type EntranceEffect, FORM, SECRET } from "./sessions.ts";

/** Why a server cannot be reached is up to the system. */
function withoutReasons(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/(cannot be used for [a-z ]+): .*/, "$1"));
}

/** The effects, tried without a service around them. */
export const CACHE_EFFECTS: readonly EntranceEffect[] = [
  {
    keys: ["memcached_server", "session.type"],
    title: "puts sessions into the shared cache",
    ini: [`memcached_server = 127.0.0.1:${freePort()}`, SECRET],
    async check({ sessions, throttle, anna, home, lines }) {
      await assert.rejects(sessions.open(anna, FORM), { code: "unavailable" });
      assert.equal(existsSync(join(home, "state", "sessions")), false);
      await throttle.countFailure("192.0.2.1");
      assert.deepEqual(withoutReasons(lines).map((line) => line.replace(/\d+ /, "N ")), [
        'The shared cache at 127.0.0.1:N (cache "memcached") cannot be used for sessions',
        'The shared cache at 127.0.0.1:N (cache "memcached") cannot be used for the login throttle',
      ]);
    },
  },
  {
    keys: ["session.url"],
    title: "is the shared cache of sessions where it is another one",
    ini: ["memcached_server = 127.0.0.1:1", "session.url = 127.0.0.1:2", SECRET],
    async check({ sessions, throttle, anna, lines }) {
      await assert.rejects(sessions.open(anna, FORM), { code: "unavailable" });
      await throttle.countFailure("192.0.2.1");
      assert.deepEqual(withoutReasons(lines), [
        'The shared cache at 127.0.0.1:2 (cache "memcached") cannot be used for sessions',
        'The shared cache at 127.0.0.1:1 (cache "memcached") cannot be used for the login throttle',
      ]);
    },
  },
  {
    keys: ["session.url", "session.type"],
    title: "are the place and the kind of every shared cache",
    ini: ["session.type = ext:redis", "session.url = redis://:secret@127.0.0.1:1/2", SECRET],
    async check({ sessions, throttle, oneTime, anna, lines }) {
      await assert.rejects(sessions.open(anna, FORM), { code: "unavailable" });
      await throttle.countFailure("192.0.2.1");
      await assert.rejects(oneTime("a", 60), { code: "unavailable" });
      assert.deepEqual(
        withoutReasons(lines),
        ["sessions", "the login throttle", "logins"].map((purpose) =>
          `The shared cache at redis://127.0.0.1:1/2 (cache "redis") cannot be used for ${purpose}`
        ),
      );
    },
  },
  {
    keys: ["shared_cache", "session.type"],
    title: "is the cache of everything but sessions where these are elsewhere",
    ini: ["shared_cache = redis", "session.url = redis://127.0.0.1:1", "session.type = cookie", SECRET],
    async check({ sessions, throttle, oneTime, anna, lines }) {
      await sessions.open(anna, FORM);
      await throttle.countFailure("192.0.2.1");
      await assert.rejects(oneTime("a", 60), { code: "unavailable" });
      assert.deepEqual(
        withoutReasons(lines),
        ["the login throttle", "logins"].map((purpose) =>
          `The shared cache at redis://127.0.0.1:1 (cache "redis") cannot be used for ${purpose}`
        ),
      );
    },
  },
  {
    keys: ["shared_cache", "memcached_server"],
    title: "is used instead of memcached where both are set",
    ini: [
      "shared_cache = redis",
      "memcached_server = 127.0.0.1:2",
      "session.url = redis://127.0.0.1:1",
      SECRET,
    ],
    async check({ sessions, throttle, anna, lines }) {
      await assert.rejects(sessions.open(anna, FORM), { code: "unavailable" });
      await throttle.countFailure("192.0.2.1");
      assert.deepEqual(
        withoutReasons(lines),
        ["sessions", "the login throttle"].map((purpose) =>
          `The shared cache at redis://127.0.0.1:1 (cache "redis") cannot be used for ${purpose}`
        ),
      );
    },
  },
];
