/**
 * Settings of passwords, the first run and other sites.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { logIn, PASSWORD, sessionOf } from "@/tests/api/login/home.ts";
import { runMain } from "@/tests/support/process.ts";
import type { TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { type Effect, statusOf, textOf } from "./effect.ts";

const start = {
  files: { "config/users.cfg": `public: {}\nanna: {password: ${PASSWORD}, databases: {Demo: {}}}\n` },
};

const HASH = /\$argon2id\$[^,]*,[^,]*,[^$]*/;

/** The hash of a user's password after a login, when the service has stored it. */
async function hashAfterLogin(service: TestService): Promise<string> {
  const answer = await logIn(service, "anna", PASSWORD);
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
  const users = () => Deno.readTextFileSync(join(service.home, "config", "users.cfg"));
  await until(() => HASH.test(users()));
  return HASH.exec(users())?.[0] ?? "";
}

/**
 * How a page of another origin logs in: the status, and which origin may read the
 * answer, with credentials or without.
 */
async function signIn(service: TestService, Origin: string): Promise<readonly (number | string | null)[]> {
  const { status, body, headers } = await logIn(service, "anna", PASSWORD, { Origin });
  await body?.cancel();
  const names = ["access-control-allow-origin", "access-control-allow-credentials"];
  return [status, ...names.map((name) => headers.get(name))];
}

/** Settings of logins, a test for each. The tests of passwords log in and check the hash in users.cfg. */
export const LOGINS: readonly Effect[] = [
  {
    keys: ["argon2.memory_cost", "argon2.time_cost"],
    title: "are what a plain password's hash costs",
    ini: ["argon2.memory_cost = 24", "argon2.time_cost = 3"],
    start,
    async check(service) {
      assert.equal(await hashAfterLogin(service), "$argon2id$v=19$m=24,t=3,p=1");
    },
  },
  {
    keys: ["argon2.memory_cost", "argon2.time_cost"],
    title: "are what a new password's hash costs",
    ini: ["argon2.memory_cost = 16", "argon2.time_cost = 4"],
    async check({ home }) {
      const env = { ROWHOUSE_PASSWORD: PASSWORD };
      assert.equal((await runMain(["set-password", "admin", "--home", home], { env })).code, 0);
      const users = await Deno.readTextFile(join(home, "config", "users.cfg"));
      assert.match(users, /\$argon2id\$v=19\$m=16,t=4,p=1\$/);
    },
  },
  {
    keys: ["require_details_in_terms_and_conditions"],
    title: "leaves name and e-mail out of the first run",
    ini: ["require_details_in_terms_and_conditions = False"],
    async check(service) {
      const page = await textOf(service, "/first-run");
      assert.match(page, /name="password"/);
      assert.doesNotMatch(page, /name="(first_name|last_name|email)"/);
    },
  },
  {
    keys: ["require_details_in_terms_and_conditions"],
    title: "has them asked for unless it is set",
    ini: [],
    async check(service) {
      assert.match(
        await textOf(service, "/first-run"),
        /name="first_name"[^]*name="last_name"[^]*name="email"/,
      );
    },
  },
  {
    keys: ["cors.trusted_origins"],
    title: "may use a session's cookie to change something",
    ini: ["cors.trusted_origins = https://app.example, https://other.example:8443"],
    start,
    async check(service) {
      const Cookie = await sessionOf(service, "anna", PASSWORD);
      const change = (Origin: string) =>
        statusOf(service, "/db/Demo/Amenity/AmenityId/1.json", {
          method: "PUT",
          headers: { Cookie, Origin, "Content-Type": "application/json" },
          body: '{"Name": "Bar"}',
        });
      assert.equal(await change("https://app.example"), 204);
      assert.equal(await change("https://other.example:8443"), 204);
      assert.equal(await change("https://other.example"), 403);
    },
  },
  {
    keys: ["cors.trusted_origins"],
    title: "may log in and read answers to requests with the cookie, others may not",
    ini: ["cors.trusted_origins = https://app.example"],
    start,
    async check(service) {
      assert.deepEqual(await signIn(service, "https://app.example"), [200, "https://app.example", "true"]);
      assert.deepEqual(await signIn(service, "https://evil.example"), [403, "*", null]);
    },
  },
  {
    keys: ["cors.open"],
    title: "lets pages of every origin read with the cookie and log in, and change nothing with it",
    ini: ["cors.open = True"],
    start,
    async check(service) {
      const Origin = "https://anywhere.example";
      assert.deepEqual(await signIn(service, Origin), [200, Origin, "true"]);
      const Cookie = await sessionOf(service, "anna", PASSWORD);
      const target = "/db/Demo/Amenity/AmenityId/1.json";
      assert.equal(await statusOf(service, target, { method: "DELETE", headers: { Cookie, Origin } }), 403);
      assert.equal(await statusOf(service, "/logout", { headers: { Cookie, Origin } }), 403);
      const body = new URLSearchParams({ login: "anna", password: PASSWORD });
      assert.equal(await statusOf(service, "/login", { method: "POST", headers: { Origin }, body }), 403);
    },
  },
  {
    keys: ["cors.open"],
    title: "is off unless it is set",
    ini: [],
    start,
    async check(service) {
      assert.deepEqual(await signIn(service, "https://anywhere.example"), [403, "*", null]);
    },
  },
  {
    keys: ["allow_empty_password"],
    title: "lets somebody log in with an empty password",
    ini: ["allow_empty_password = True"],
    start: { files: { "config/users.cfg": 'public: {}\nanna: {password: ""}\nbert: {}\n' } },
    async check(service) {
      for (const [login, status] of [["anna", 200], ["bert", 403]] as const) {
        const answer = await logIn(service, login, "");
        await answer.body?.cancel();
        assert.equal(answer.status, status, login);
      }
    },
  },
  {
    keys: ["allow_empty_password"],
    title: "is off unless it is set: an empty password is none",
    ini: [],
    start: { files: { "config/users.cfg": 'public: {}\nanna: {password: ""}\n' } },
    async check(service) {
      const answer = await logIn(service, "anna", "");
      await answer.body?.cancel();
      assert.equal(answer.status, 403);
    },
  },
];
