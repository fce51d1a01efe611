/**
 * The parts of authentication that all methods share: sessions, the throttle, and client addresses.
 *
 * @module
 */

import { join } from "node:path";
import { type Configuration, hashCost, replacePassword } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import type { Entrance } from "@/core/service.ts";
import type { Log } from "@/plugins/contract.ts";
import { type Audit, NO_AUDIT } from "@/core/storage/audit.ts";
import { createFindClient } from "@/core/identity/client_address.ts";
import { FirstRun } from "@/core/identity/first_run.ts";
import { FormTokens } from "@/core/identity/sessions/csrf_tokens.ts";
import type { User } from "@/core/model.ts";
import { type OneTime, openOneTime } from "@/core/storage/one_time.ts";
import { PasswordChecker } from "@/core/identity/check_password.ts";
import { openThrottle, sharedCacheOf } from "@/core/identity/throttle/mod.ts";
import { createSessionCookie } from "@/core/identity/sessions/cookie.ts";
import { openSessions } from "@/core/identity/sessions/mod.ts";
import { loadSecrets } from "@/core/identity/sessions/secret.ts";

/** The options of the entrance; users are functions because they may change while it is open. */
export interface EntranceOptions {
  readonly configuration: Configuration;
  /** Path of `--base-url`, empty without one. */
  readonly prefix: string;
  /** Scheme and host of `--base-url`. */
  readonly origin?: string | undefined;
  /** The token of the first run. */
  readonly firstRunToken?: string | undefined;
  /** Whether the present configuration has a password of `admin`, even if that user is disabled. */
  adminHasPassword(): boolean;
  /** The present users. */
  users(): ReadonlyMap<string, User>;
  /** Reads the users again, because another process may have changed them. */
  refreshUsers?(): Promise<void>;
  readonly log: Log;
  /** Absent: no audit log. */
  readonly audit?: Audit;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** Opens all parts; the stack closes them. */
export async function openEntrance(
  options: EntranceOptions,
  stack: AsyncDisposableStack,
): Promise<Entrance> {
  const { configuration, prefix, origin, firstRunToken: token, log, now = Date.now } = options;
  const { users, refreshUsers, audit = NO_AUDIT } = options;
  const findUser = (login: string) => users().get(login);
  const { settings, directories: { state } } = configuration;
  const secrets = await loadSecrets(settings, state);
  const surroundings = { settings, state, secrets, log, audit, now };
  return {
    sessions: stack.use(await openSessions({ ...surroundings, findUser, refreshUsers })),
    sessionCookie: createSessionCookie(settings, prefix),
    throttle: stack.use(await openThrottle(surroundings)),
    findClient: createFindClient({ trusted: settings.trusted_proxies, origin, log }),
    passwords: openPasswords({ settings, users, log }, stack),
    formTokens: new FormTokens(secrets("form"), prefix),
    firstRun: new FirstRun({ settings, prefix, token, hasPassword: options.adminHasPassword }),
    oneTime: stack.use(await openOneTimeFor(surroundings)),
    secrets,
  };
}

async function openOneTimeFor(
  { settings, state, log, now }: { settings: Settings; state: string; log: Log; now: () => number },
): Promise<OneTime> {
  const directory = join(state, "once");
  const address = sharedCacheOf(settings);
  if (address === undefined) return await openOneTime({ directory, now });
  const { createSharedCache } = await import("@/core/storage/shared_cache.ts");
  return await openOneTime({ directory, now, cache: createSharedCache({ address, log, purpose: "logins" }) });
}

/** Closing waits until a raised hash is stored. */
function openPasswords(
  { settings, users, log }: Pick<EntranceOptions, "users" | "log"> & { readonly settings: Settings },
  stack: AsyncDisposableStack,
): PasswordChecker {
  const strengthen = async ({ login, password = "" }: User, hash: string) => {
    await replacePassword({ settings }, { login, password, hash });
  };
  const checker = new PasswordChecker({ users, cost: hashCost(settings), log, strengthen });
  stack.defer(() => checker.settled());
  return checker;
}
