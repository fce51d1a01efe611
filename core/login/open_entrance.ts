/**
 * The parts of authentication that all methods share: sessions, the throttle, and client addresses.
 *
 * @module
 */

import { join } from "node:path";
import {
  type CachePlace,
  type Configuration,
  hashCost,
  replacePassword,
  sessionCacheOf,
  sharedCacheOf,
} from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import { runningLog } from "@/core/base/named_log.ts";
import { quote } from "@/core/errors.ts";
import { PasswordChecker } from "@/core/identity/check_password.ts";
import { createFindClient } from "@/core/identity/client_address.ts";
import { createCookieStore } from "@/core/identity/sessions/cookie_store.ts";
import { createSessionCookie } from "@/core/identity/sessions/cookies.ts";
import { FormTokens } from "@/core/identity/sessions/csrf_tokens.ts";
import { createFingerprints } from "@/core/identity/sessions/fingerprint.ts";
import { type DeriveSecrets, loadSecrets } from "@/core/identity/sessions/secret.ts";
import { openSessionFiles } from "@/core/identity/sessions/session_files.ts";
import { sessionPolicy, Sessions } from "@/core/identity/sessions/sessions.ts";
import type { SessionStore } from "@/core/identity/sessions/store.ts";
import { TicketStore } from "@/core/identity/sessions/ticket_store.ts";
import { SharedBuckets } from "@/core/identity/throttle/bucket_cache.ts";
import { openBucketFile } from "@/core/identity/throttle/bucket_file.ts";
import { Throttle } from "@/core/identity/throttle/throttle.ts";
import type { User } from "@/core/model.ts";
import type { Entrance } from "@/core/service.ts";
import type { Audit } from "@/core/storage/audit.ts";
import { GuardedCache } from "@/core/storage/guarded_cache.ts";
import { type OneTime, openOneTime, sharedOneTime } from "@/core/storage/one_time.ts";
import type { Cache, Log, SharedCache } from "@/plugins/contract.ts";

/** The options of the entrance; users are functions because they may change while it is open. */
interface EntranceOptions {
  readonly configuration: Configuration;
  /** Path of `--base-url`, empty without one. */
  readonly prefix: string;
  /** Scheme and host of `--base-url`. */
  readonly origin?: string | undefined;
  users(): ReadonlyMap<string, User>;
  /** Asks the authentication methods that check passwords. */
  askMethods(login: string, password: string): Promise<boolean>;
  /** Reads the users again, because another process may have changed them. */
  readonly refreshUsers?: () => Promise<void>;
  readonly log: Log;
  readonly audit: Audit;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** The caches that the settings name. */
  readonly caches: ReadonlyMap<string, Cache>;
}

/** The services that the parts use. */
interface Surroundings {
  readonly settings: Settings;
  /** The state directory, which workers share. */
  readonly state: string;
  readonly secrets: DeriveSecrets;
  readonly log: Log;
  readonly now: () => number;
  readonly caches: ReadonlyMap<string, Cache>;
}

/** Opens all parts; the stack closes them. */
export async function openEntrance(options: EntranceOptions, stack: AsyncDisposableStack): Promise<Entrance> {
  const { configuration, prefix, origin, log, now = Date.now } = options;
  const { users, refreshUsers, audit, caches } = options;
  const { settings, directories: { state } } = configuration;
  const secrets = await loadSecrets(settings, state);
  const surroundings = { settings, state, secrets, log, now, caches };
  return {
    sessions: stack.use(
      new Sessions({
        store: await openStore(surroundings),
        policy: sessionPolicy(settings),
        fingerprints: createFingerprints(secrets("fingerprint")),
        findUser: (login) => users().get(login),
        refreshUsers,
        now,
      }),
    ),
    sessionCookie: createSessionCookie(settings, prefix),
    throttle: stack.use(await openThrottle(surroundings, audit)),
    findClient: createFindClient({ trusted: settings.trusted_proxies, origin, log }),
    passwords: openPasswords({ settings, ...options }, stack),
    formTokens: new FormTokens(secrets("form"), prefix),
    oneTime: await openOneTimeFor(surroundings, stack),
    secrets,
  };
}

/** Creates the directories of session files; a shared cache is first used for the first session. */
async function openStore(surroundings: Surroundings): Promise<SessionStore> {
  const { settings, secrets, log, now } = surroundings;
  const { absolute } = sessionPolicy(settings);
  if (settings["session.type"] === "cookie") return createCookieStore(secrets("cookie"));
  const place = sessionCacheOf(settings);
  if (place) return new TicketStore({ cache: await open(place, "sessions", surroundings), now, absolute });
  const [dataDirectory, lockDirectory] = [settings["session.data_dir"], settings["session.lock_dir"]];
  const cache = await openSessionFiles({ dataDirectory, lockDirectory, now, log });
  return new TicketStore({ cache, now, absolute });
}

/** Counts in a file of the state directory and, with a shared cache, for all nodes together. */
async function openThrottle(surroundings: Surroundings, audit: Audit): Promise<Throttle> {
  const { settings, state, secrets, log, now } = surroundings;
  const limits = {
    burst: settings["login_throttle.burst"],
    interval: 60_000 / settings["login_throttle.rate"],
  };
  const [key] = secrets("throttle");
  const file = await openBucketFile({ path: join(state, "throttle"), key, log, now });
  const place = sharedCacheOf(settings);
  if (!place) return new Throttle(file, limits, { audit });
  const cache = await open(place, "the login throttle", surroundings);
  return new Throttle(new SharedBuckets({ cache, fallback: file, now }), limits, { audit });
}

async function openOneTimeFor(surroundings: Surroundings, stack: AsyncDisposableStack): Promise<OneTime> {
  const { settings, state, now, log } = surroundings;
  const place = sharedCacheOf(settings);
  if (!place) return await openOneTime(join(state, "once"), now, log);
  return sharedOneTime(stack.use(await open(place, "logins", surroundings)));
}

/** Each purpose has a connection of its own. */
async function open(
  { name, location = "" }: CachePlace,
  purpose: string,
  { caches, settings, log }: Surroundings,
): Promise<SharedCache> {
  const cache = caches.get(name);
  if (!cache) throw new Error(`The cache ${quote(name)} was not set up`);
  const timeout = settings["server.plugin_timeout"];
  return new GuardedCache(await cache.open(location), { name, location, purpose, log, timeout });
}

/** Closing waits until a raised hash is stored. */
function openPasswords(
  { settings, users, askMethods, log }: Pick<EntranceOptions, "users" | "askMethods" | "log"> & {
    readonly settings: Settings;
  },
  stack: AsyncDisposableStack,
): PasswordChecker {
  const strengthen = async ({ login, password = "" }: User, hash: string) => {
    await replacePassword(settings, { login, password, hash });
  };
  const checker = new PasswordChecker({
    users,
    askMethods,
    cost: hashCost(settings),
    log: runningLog(log),
    strengthen,
  });
  stack.defer(() => checker.settled());
  return checker;
}
