/**
 * Settings of sessions and of the throttle, tried on the modules that use them. The clock stands
 * still between the steps of a test.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Configuration, loadConfiguration } from "@/config/mod.ts";
import { wantedPlugins } from "@/core/definitions/plugin_list.ts";
import { checkPlugins } from "@/core/start/set_up_plugins.ts";
import type { Cache, Log } from "@/plugins/contract.ts";
import { inspectPlugins } from "@/plugins/load.ts";
import type { Entrance } from "@/core/service.ts";
import { openEntrance } from "@/core/login/open_entrance.ts";
import type { User } from "@/core/model.ts";
import { Clock } from "@/tests/conformance/session_place.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import type { TestedKey } from "./effect.ts";

/** A test of settings without a service around them. */
export interface EntranceEffect {
  readonly keys: readonly TestedKey[];
  /** A sentence about the effect of these settings. */
  readonly title: string;
  readonly ini: readonly string[];
  check(opened: Opened): Promise<void>;
}

/** The parts of the service with these settings. */
export interface Opened extends Entrance {
  readonly clock: Clock;
  readonly anna: User;
  /** Where the files are; the state directory is `state` below it. */
  readonly home: string;
  /** Lines of the log. */
  readonly lines: readonly string[];
  /** Opens another place with these settings, or this place with other settings. */
  reopen(options: { readonly ini?: readonly string[]; readonly home?: string }): Promise<Opened>;
}

/** Runs one test in a separate directory. */
export async function checkEntrance({ ini, check }: EntranceEffect): Promise<void> {
  await using stack = new AsyncDisposableStack();
  await check(await open(ini, stack.use(new TestDirectory()).path, new Clock(), stack));
}

async function open(
  ini: readonly string[],
  home: string,
  clock: Clock,
  stack: AsyncDisposableStack,
): Promise<Opened> {
  await Deno.writeTextFile(join(home, "service.ini"), ["[service]", ...ini, ""].join("\n"));
  await Deno.writeTextFile(join(home, "users.cfg"), "admin: {}\npublic: {}\nanna: {password: $argon2id$x}\n");
  const directories = { config: home, state: join(home, "state"), log: home };
  const configuration = loadConfiguration(directories, {});
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = { info: write, warn: write, error: write };
  const users = () => configuration.users;
  const entrance = await openEntrance(
    {
      configuration,
      users,
      askMethods: () => Promise.resolve(false),
      prefix: "",
      log,
      audit: NO_AUDIT,
      now: clock.now,
      caches: await cachesFor(configuration, log),
    },
    stack,
  );
  const anna = configuration.users.get("anna");
  if (!anna) throw new Error("There is no user anna");
  const reopen: Opened["reopen"] = (options) => open(options.ini ?? ini, options.home ?? home, clock, stack);
  return { ...entrance, clock, anna, home, lines, reopen };
}

/** The caches that the settings name, set up as the service does. */
async function cachesFor(configuration: Configuration, log: Log): Promise<ReadonlyMap<string, Cache>> {
  const wanted = wantedPlugins(configuration).filter(({ kind }) => kind === "cache");
  const { plugins } = await inspectPlugins(wanted, configuration.settings);
  return (await checkPlugins({ configuration, plugins, prefix: "", log })).caches;
}

/** A line of service.ini. */
export const SECRET = "session.secret = 0123456789abcdef0123456789abcdef";
const HTTP = { isHttps: false };
const HTTPS = { isHttps: true };
/** How these sessions are opened. */
export const FORM = { method: "login_form" };

/** Like {@link Effect}, without a service around them. */
export const ENTRANCE_EFFECTS: readonly EntranceEffect[] = [
  {
    keys: ["session.timeout"],
    title: "is how long a session lasts without activity",
    ini: ["session.timeout = 60"],
    check: (opened) => assertIdleLimit(opened, 60),
  },
  {
    keys: ["session.timeout"],
    title: "may be longer than an hour",
    ini: ["session.timeout = 7200"],
    check: (opened) => assertIdleLimit(opened, 7200),
  },
  {
    keys: ["cookie_timeout"],
    title: "is the idle limit when it is the smaller one",
    ini: ["session.timeout = 60", "cookie_timeout = 30"],
    check: (opened) => assertIdleLimit(opened, 30),
  },
  {
    keys: ["cookie_timeout", "session.timeout"],
    title: "are an hour unless they are set",
    ini: [],
    check: (opened) => assertIdleLimit(opened, 3600),
  },
  {
    keys: ["session.cookie_expires"],
    title: "ends a session that is in use",
    ini: ["session.cookie_expires = 120"],
    async check({ sessions, anna, clock }) {
      const { ticket } = await sessions.open(anna, FORM);
      for (let second = 10; second < 120; second += 10) {
        clock.pass(10_000);
        assert.ok(await sessions.resume(ticket), `after ${second} s`);
      }
      clock.pass(9_999);
      assert.ok(await sessions.resume(ticket));
      clock.pass(1);
      assert.equal(await sessions.resume(ticket), undefined);
    },
  },
  {
    keys: ["cookie_reissue_time"],
    title: "is when a session gets a new ticket",
    ini: ["cookie_reissue_time = 20"],
    async check({ sessions, anna, clock }) {
      const { ticket } = await sessions.open(anna, FORM);
      clock.pass(19_999);
      assert.equal((await sessions.resume(ticket))?.renewedTicket, undefined);
      clock.pass(1);
      const renewed = (await sessions.resume(ticket))?.renewedTicket;
      assert.ok(renewed !== undefined && renewed !== ticket);
    },
  },
  {
    keys: ["cookie_max_age", "cookie_http_only", "cookie_secure"],
    title: "are attributes of the cookie",
    ini: ["cookie_max_age = 77", "cookie_http_only = False", "cookie_secure = True"],
    check({ sessionCookie }) {
      assert.equal(
        sessionCookie.give("T", HTTP),
        "auth_tkt=T; Max-Age=77; Path=/; Secure; SameSite=Lax",
      );
      return Promise.resolve();
    },
  },
  {
    keys: ["cookie_max_age", "cookie_http_only", "cookie_secure"],
    title: "are a day, True and auto unless they are set",
    ini: [],
    check({ sessionCookie }) {
      const plain = "auth_tkt=T; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax";
      assert.equal(sessionCookie.give("T", HTTP), plain);
      assert.equal(sessionCookie.give("T", HTTPS), `__Host-${plain.replace("SameSite", "Secure; SameSite")}`);
      return Promise.resolve();
    },
  },
  {
    keys: ["session.type", "session.secret"],
    title: "= cookie keeps sessions in the cookie, for every node with the same secret",
    ini: ["session.type = cookie", SECRET],
    async check({ sessions, anna, home, reopen }) {
      const { ticket } = await sessions.open(anna, FORM);
      using elsewhere = new TestDirectory();
      const node = await reopen({ home: elsewhere.path });
      assert.equal((await node.sessions.resume(ticket))?.session.login, "anna");
      assert.equal(existsSync(join(home, "state", "sessions")), false);
      using third = new TestDirectory();
      const stranger = await reopen({
        home: third.path,
        ini: ["session.type = cookie", `${SECRET}-another`],
      });
      assert.equal(await stranger.sessions.resume(ticket), undefined);
    },
  },
  {
    keys: ["session.secret_previous"],
    title: "lets sessions go on that were made with it",
    ini: ["session.type = cookie", SECRET],
    async check({ sessions, anna, reopen }) {
      const { ticket } = await sessions.open(anna, FORM);
      const next = ["session.type = cookie", "session.secret = fedcba9876543210fedcba9876543210"];
      assert.equal(await (await reopen({ ini: next })).sessions.resume(ticket), undefined);
      const rotating = await reopen({ ini: [...next, SECRET.replace("secret", "secret_previous")] });
      assert.equal((await rotating.sessions.resume(ticket))?.session.login, "anna");
    },
  },
  {
    keys: ["session.secret"],
    title: "is made in the state directory when it is not set",
    ini: [],
    async check({ sessions, anna, home, reopen }) {
      assert.equal(Deno.statSync(join(home, "state", "session.secret")).isFile, true);
      const { ticket } = await sessions.open(anna, FORM);
      assert.equal((await (await reopen({})).sessions.resume(ticket))?.session.login, "anna");
    },
  },
  {
    keys: ["session.type", "session.data_dir", "session.lock_dir"],
    title: "= file keeps sessions in files and locks where they say",
    ini: ["session.type = file", "session.data_dir = kept", "session.lock_dir = locks"],
    async check({ sessions, anna, home }) {
      await sessions.open(anna, FORM);
      assert.equal([...Deno.readDirSync(join(home, "kept"))].length, 1);
      assert.equal(
        [...Deno.readDirSync(join(home, "locks"))].every(({ name }) => name.endsWith(".lock")),
        true,
      );
      assert.notEqual([...Deno.readDirSync(join(home, "locks"))].length, 0);
    },
  },
  {
    keys: ["session.type", "session.data_dir", "session.lock_dir"],
    title: "are files below the state directory unless they are set",
    ini: [],
    async check({ sessions, anna, home }) {
      await sessions.open(anna, FORM);
      const names = (path: string) => [...Deno.readDirSync(join(home, "state", "sessions", path))];
      assert.equal(names("data").length, 1);
      assert.equal(names("lock").length, 1);
    },
  },
  {
    keys: ["session.type"],
    title: "= file keeps sessions in files although there is a shared cache",
    ini: ["memcached_server = 127.0.0.1:1", "session.type = file"],
    async check({ sessions, anna }) {
      const { ticket } = await sessions.open(anna, FORM);
      assert.equal((await sessions.resume(ticket))?.session.login, "anna");
    },
  },
  {
    keys: ["login_throttle.rate", "login_throttle.burst"],
    title: "are attempts a minute and attempts at once",
    ini: ["login_throttle.rate = 0.5", "login_throttle.burst = 2"],
    async check({ throttle, clock }) {
      const attempt = () => throttle.beginForm("192.0.2.1", "anna");
      await attempt();
      await attempt();
      await assert.rejects(attempt(), { code: "too-many-requests", headers: { "Retry-After": "120" } });
      clock.pass(119_999);
      await assert.rejects(attempt(), { code: "too-many-requests", headers: { "Retry-After": "1" } });
      clock.pass(1);
      await attempt();
    },
  },
];

async function assertIdleLimit({ sessions, anna, clock }: Opened, seconds: number): Promise<void> {
  const used = await sessions.open(anna, FORM);
  const unused = await sessions.open(anna, FORM);
  clock.pass(seconds * 1000 - 1);
  const resumed = await sessions.resume(used.ticket);
  assert.equal(resumed?.session.login, "anna");
  clock.pass(1);
  assert.equal(await sessions.resume(unused.ticket), undefined);
  clock.pass(seconds * 1000 - 2);
  assert.ok(await sessions.resume(resumed.renewedTicket ?? used.ticket), "using it has made it last longer");
}
