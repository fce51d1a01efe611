/**
 * Settings of access.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runMain } from "@/tests/support/process.ts";
import { type Effect, jsonOf, statusOf } from "./effect.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const USERS = `public: {}\nanna: {apikey: ${KEY}, appid: desk, databases: {Demo: {}}}\n`;
/** Without names, so that those of service.ini hold. */
const AUTH = "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n";
const start = { files: { "config/users.cfg": USERS, "config/auth.cfg": AUTH } };
const DATA = "/db/Demo/Country.json?limit=1";

/** Settings of access, a test for each. settings_test.ts runs the tests of every file in this folder. */
export const ACCESS: readonly Effect[] = [
  {
    keys: ["appid_name", "apikey_name"],
    title: "name the headers of the two-parameter mode",
    ini: ["appid_name = X-App", "apikey_name = X-Key"],
    start,
    async check(service) {
      assert.equal(await statusOf(service, DATA, { headers: { "X-App": "desk", "X-Key": KEY } }), 200);
      assert.equal(await statusOf(service, DATA, { headers: { "X-Key": KEY } }), 403);
      assert.equal(await statusOf(service, DATA, { headers: { appid: "desk", apikey: KEY } }), 403);
      const { auth_settings } = await jsonOf(service, "/settings.json");
      assert.deepEqual(auth_settings, {
        authentication_policies: {
          apikey: {
            enabled: true,
            priority: 1,
            gui: { visible: true },
            appid_name: "X-App",
            apikey_name: "X-Key",
          },
        },
      });
    },
  },
  {
    keys: ["allow_apikey_in_query_string"],
    title: "accepts keys in the query",
    ini: ["allow_apikey_in_query_string = True"],
    start,
    async check(service) {
      assert.equal(await statusOf(service, `${DATA}&appid=desk&apikey=${KEY}`), 200);
      assert.equal(await statusOf(service, `${DATA}&appid=desk&apikey=wrong`), 403);
    },
  },
  {
    keys: ["allow_apikey_in_query_string"],
    title: "refuses keys in the query unless it is set, and says what to do",
    ini: [],
    start,
    async check(service) {
      const answer = await service.fetch(`${DATA}&appid=desk&apikey=${KEY}`);
      assert.equal(answer.status, 403);
      const { description } = await answer.json();
      assert.match(description, /use the header "apikey"/);
      assert.equal(description.includes(KEY), false);
    },
  },
  {
    keys: ["min_password_strength"],
    title: "lets a weak password pass with 0",
    ini: ["min_password_strength = 0"],
    async check({ home }) {
      const env = { ROWHOUSE_PASSWORD: "password" };
      assert.equal((await runMain(["set-password", "admin", "--home", home], { env })).code, 0);
    },
  },
  {
    keys: ["min_password_strength"],
    title: "refuses with 4 what is strong enough for 2",
    ini: ["min_password_strength = 4"],
    async check({ home }) {
      const env = { ROWHOUSE_PASSWORD: "xk4-Tr9z" };
      const { code, stderr } = await runMain(["set-password", "admin", "--home", home], { env });
      assert.equal(code, 1);
      assert.match(stderr, /it is too easy to guess/);
    },
  },
  {
    keys: ["allow_empty_password"],
    title: "lets a password be empty",
    ini: ["allow_empty_password = True"],
    async check({ home }) {
      const env = { ROWHOUSE_PASSWORD: "" };
      assert.equal((await runMain(["set-password", "admin", "--home", home], { env })).code, 0);
    },
  },
  {
    keys: ["max_body_size"],
    title: "is the number of bytes that a body may have",
    ini: ["max_body_size = 10"],
    start: { files: { "config/users.cfg": "public: {databases: {Demo: {}}}\n" } },
    async check(service) {
      const post = (body: BodyInit) =>
        service.fetch("/db/Demo/Country.json", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        });
      // Without and with a length that is told before.
      for (const body of [new Blob(["12345678901"]).stream(), "12345678901"]) {
        const large = await post(body);
        assert.equal(large.status, 413);
        assert.equal(large.headers.get("warning"), "The body is too large: at most 10 bytes are accepted");
        assert.equal((await large.json()).http_code, 413);
      }
      const small = await post("1234567890");
      assert.equal(small.status, 400);
      await small.body?.cancel();
    },
  },
];
