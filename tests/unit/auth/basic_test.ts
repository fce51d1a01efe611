import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import type { AuthHost, AuthResult } from "@/plugins/contract.ts";
import basic, { parseBasic } from "@/auth/basic/mod.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { requestOf, testAuth } from "@/tests/conformance/auth.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { seenIfThere } from "@/core/identity/seen_user.ts";

const ANNA = userOf("anna", { password: "walrus:teapot" });
const USERS = [ANNA, userOf("bjørn", { password: "smørrebrød" }), userOf("keyed")];

function header(text: string): { readonly Authorization: string } {
  return { Authorization: `Basic ${new TextEncoder().encode(text).toBase64()}` };
}

testAuth("basic", () => basic, {
  host: hostOf({ users: USERS }),
  accepted: [
    { name: "login and password", headers: header("anna:walrus:teapot"), secrets: ["walrus"], login: "anna" },
    { name: "letters beyond ASCII", headers: header("bjørn:smørrebrød"), secrets: [], login: "bjørn" },
    {
      name: "the scheme in other letters",
      headers: { Authorization: header("anna:walrus:teapot").Authorization.replace("Basic", "bASIC") },
      secrets: [],
      login: "anna",
    },
  ],
  rejected: [
    { name: "a wrong password", headers: header("anna:teapot"), secrets: ["teapot"] },
    { name: "an unknown login", headers: header("nobody:walrus"), secrets: ["walrus"] },
    { name: "an empty password", headers: header("keyed:"), secrets: [] },
    { name: "no colon", headers: header("anna"), secrets: [] },
    { name: "nothing", headers: { Authorization: "Basic" }, secrets: [] },
    { name: "no base64", headers: { Authorization: "Basic ann@:x" }, secrets: [] },
    { name: "bytes that are no text", headers: { Authorization: "Basic /zph" }, secrets: [] },
  ],
});

Deno.test("another scheme is none of its business", async () => {
  const method = basic.setup({}, hostOf({ users: USERS }));
  for (const value of ["Bearer abc", "Basically anna", "Digest basic"]) {
    assert.deepEqual(await method.authenticate(requestOf({ headers: { Authorization: value } })), {
      outcome: "absent",
    });
  }
});

Deno.test("a header that is too long is not decoded", () => {
  assert.equal(parseBasic(`Basic ${btoa(`anna:${"x".repeat(7000)}`)}`), undefined);
});

/** Counts the calls of the host. */
class Watched {
  now = 1_000_000;
  checks = 0;
  attempts = 0;
  succeeded = 0;
  /** The attempts that were under way at once. */
  most = 0;
  /** A login about which nothing is told until then. */
  silent: { readonly login: string; readonly until: Promise<void> } | undefined;
  #running = 0;
  readonly users = new Map([["anna", ANNA]]);
  readonly host: AuthHost;
  readonly #method;

  constructor() {
    this.host = hostOf({
      changes: {
        now: () => this.now,
        findUser: (login) => seenIfThere(this.users.get(login)),
        checkPassword: async (login, password) => {
          this.checks++;
          this.most = Math.max(this.most, ++this.#running);
          await (this.silent?.login === login ? this.silent.until : Promise.resolve());
          this.#running--;
          const user = this.users.get(login);
          return user?.password === password ? seenIfThere(user) : undefined;
        },
        throttle: {
          requireTurn: () => {},
          countMessage: () => assert.fail("this is no message"),
          beginForm: () => Promise.reject(new Error("this is no form")),
          beginPassword: () => {
            this.attempts++;
            return Promise.resolve({ succeeded: () => Promise.resolve(void this.succeeded++) });
          },
        },
      },
    });
    this.#method = basic.setup({}, this.host);
  }

  async ask(text: string, network = "192.0.2.7"): Promise<AuthResult["outcome"]> {
    const request = {
      ...requestOf({ headers: header(text) }),
      client: clientOf({ address: network }),
    };
    return (await this.#method.authenticate(request)).outcome;
  }
}

const RIGHT = "anna:walrus:teapot";

Deno.test("a right password is remembered for a minute, a wrong one never", async () => {
  const watched = new Watched();
  assert.equal(await watched.ask(RIGHT), "accepted");
  watched.now += 59_999;
  assert.equal(await watched.ask(RIGHT), "accepted");
  assert.deepEqual([watched.checks, watched.attempts, watched.succeeded], [1, 1, 1]);
  watched.now += 1;
  assert.equal(await watched.ask(RIGHT), "accepted");
  assert.equal(watched.checks, 2);
  assert.equal(await watched.ask("anna:wrong"), "rejected");
  assert.equal(await watched.ask("anna:wrong"), "rejected");
  assert.deepEqual([watched.checks, watched.attempts, watched.succeeded], [4, 4, 2]);
});

Deno.test("a remembered password is verified again where it comes from another network", async () => {
  const watched = new Watched();
  await watched.ask(RIGHT);
  assert.equal(await watched.ask(RIGHT, "198.51.100.9"), "accepted");
  assert.deepEqual([watched.checks, watched.attempts], [2, 2]);
});

Deno.test("requests that come at once with one password are one attempt", async () => {
  const watched = new Watched();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => watched.ask(RIGHT)));
  assert.deepEqual(new Set(outcomes), new Set(["accepted"]));
  assert.deepEqual([watched.checks, watched.attempts], [1, 1]);
});

Deno.test("right passwords of several people that come from an address at once are all accepted", async () => {
  const watched = new Watched();
  const people = Array.from({ length: 12 }, (_, index) => `person${index}`);
  for (const login of people) watched.users.set(login, userOf(login, { password: "walrus" }));
  const outcomes = await Promise.all(people.map((login) => watched.ask(`${login}:walrus`)));
  assert.deepEqual(new Set(outcomes), new Set(["accepted"]));
  assert.deepEqual([watched.checks, watched.most], [12, 2], "they take turns");
  const elsewhere = people.map((login, index) => watched.ask(`${login}:walrus`, `198.51.100.${index}`));
  await Promise.all(elsewhere);
  assert.equal(watched.most, 12, "those of other addresses do not wait");
});

Deno.test("passwords that nobody looks at hold the others up for a second only", async () => {
  const watched = new Watched();
  const silent = Promise.withResolvers<void>();
  watched.silent = { login: "carl", until: silent.promise };
  const ignored = ["carl:1", "carl:2", "carl:3"].map((text) => watched.ask(text));
  assert.equal(await watched.ask(RIGHT), "accepted");
  silent.resolve();
  assert.deepEqual(new Set(await Promise.all(ignored)), new Set(["rejected"]));
});

Deno.test("a remembered password is forgotten when the user's password changes or the user is gone", async () => {
  const watched = new Watched();
  await watched.ask(RIGHT);
  watched.users.set("anna", userOf("anna", { password: "another" }));
  assert.equal(await watched.ask(RIGHT), "rejected");
  watched.users.set("anna", ANNA);
  assert.equal(await watched.ask(RIGHT), "accepted");
  watched.users.delete("anna");
  assert.equal(await watched.ask(RIGHT), "rejected");
});

Deno.test("login and password are remembered together, so that no other split of them fits", async () => {
  const watched = new Watched();
  await watched.ask(RIGHT);
  assert.equal(await watched.ask("ann:awalrus:teapot"), "rejected");
  assert.equal(await watched.ask("anna:walrusteapot"), "rejected");
});

Deno.test("ten thousand passwords are remembered; then the oldest is forgotten", async () => {
  const watched = new Watched();
  for (let at = 0; at <= 10_000; at++) await watched.ask(RIGHT, `network ${at}`);
  await watched.ask(RIGHT, "network 1");
  assert.equal(watched.checks, 10_001);
  await watched.ask(RIGHT, "network 0");
  assert.equal(watched.checks, 10_002);
});

Deno.test("whoever has failed too often is not asked", async () => {
  const refusal = new Error("too many");
  const refuse = () => Promise.reject(refusal);
  const throttle = {
    beginForm: refuse,
    beginPassword: refuse,
    requireTurn: () => {},
    countMessage: refuse,
  };
  const checkPassword = () => assert.fail("nothing is checked");
  const method = basic.setup({}, hostOf({ users: USERS, changes: { throttle, checkPassword } }));
  const ask = async () => await method.authenticate(requestOf({ headers: header(RIGHT) }));
  await assert.rejects(ask, refusal);
  await assert.rejects(ask, refusal);
});

Deno.test("a password that could not be looked at is no failure, and is not remembered", async () => {
  const given: string[] = [];
  const throttle = {
    beginForm: () => assert.fail("this is no form"),
    beginPassword: () => Promise.resolve({ succeeded: () => Promise.resolve(void given.push("back")) }),
    requireTurn: () => {},
    countMessage: () => assert.fail("this is no message"),
  };
  const busy = new Error("too many at once");
  const checkPassword = () => Promise.reject(busy);
  const method = basic.setup({}, hostOf({ users: USERS, changes: { throttle, checkPassword } }));
  const ask = async () => await method.authenticate(requestOf({ headers: header(RIGHT) }));
  await assert.rejects(ask, busy);
  await assert.rejects(ask, busy);
  assert.deepEqual(given, ["back", "back"]);
});
