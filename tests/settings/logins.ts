/**
 * Settings of passwords, the first run and other sites.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { logIn, PASSWORD, sessionOf } from "@/tests/login/home.ts";
import { runMain, type TestService } from "@/tests/service.ts";
import { type Effect, statusOf, textOf } from "./effect.ts";

const start = {
  files: { "config/users.cfg": `public: {}\nanna: {password: ${PASSWORD}, databases: {Demo: {}}}\n` },
};

/** The hash of a user's password after a login, when the service has stored it and ended. */
async function hashAfterLogin(service: TestService): Promise<string> {
  const answer = await logIn(service, "anna", PASSWORD);
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
  await service.stop();
  const users = await Deno.readTextFile(join(service.home, "config", "users.cfg"));
  return /\$argon2id\$[^,]*,[^,]*,[^$]*/.exec(users)?.[0] ?? users;
}

/** One test each. Those of passwords log in, and look at the hash that users.cfg has then. */
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
