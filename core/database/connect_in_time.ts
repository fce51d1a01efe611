/**
 * Guards the service against a dialect that connects: it may never answer, or answer too late.
 *
 * @module
 */

import { endInTime } from "@/core/base/in_time.ts";
import type { Catalog } from "@/core/catalog.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import type { Database, Dialect, Log, Login } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { catalogOf } from "./check_results.ts";

interface Attempt {
  readonly definition: DatabaseDefinition;
  readonly dialect: Dialect;
  readonly login: Login;
  /** Aborted when the connection is no longer needed. */
  readonly signal: AbortSignal;
  /** Seconds until the attempt is given up. */
  readonly seconds: number;
  readonly log: Log;
}

/** Milliseconds without the result of a check after which one more connection is tried. */
const QUIET = 4000;
/** Milliseconds that a new connection may take while there is no other. */
export const ANSWER = 3000;
/** Milliseconds after which a database that says nothing counts as disconnected. */
export const SILENCE: number = QUIET + ANSWER;

/** Connects. The signal tells an attempt that it is given up; its late connection is closed. */
export async function connectInTime(attempt: Attempt): Promise<Database> {
  const { definition, dialect, login, signal, seconds } = attempt;
  signal.throwIfAborted();
  const given = new AbortController();
  const connecting = dialect.connect(definition, login, { signal: given.signal });
  const database = await bounded(Promise.resolve(connecting), {
    signal,
    seconds,
    expired: () => new Error(`connect() of dialect "${definition.dbType}" has not ended ${after(seconds)}`),
    giveUp(reason) {
      given.abort(reason);
      void closeLate(connecting, attempt);
    },
  });
  // Requests would run under the login that reads the catalog.
  if (!dialect.hasLogins || typeof database.as === "function") return database;
  throw new TypeError(`Dialect "${definition.dbType}" has logins, but its database has no as()`);
}

/** Reads the catalog within the same limits. */
export async function catalogInTime(
  database: Database,
  { definition: { dbType }, signal, seconds }: Pick<Attempt, "definition" | "signal" | "seconds">,
): Promise<Catalog> {
  return catalogOf(
    await bounded(Promise.resolve(database.catalog()), {
      signal,
      seconds,
      expired: () => new Error(`catalog() of dialect "${dbType}" has not ended ${after(seconds)}`),
    }),
  );
}

/** The result of a check; `silent`: neither the database nor a new connection has answered. */
export type Found = "ok" | "changed" | "gone" | "silent";

const CHECKS: ReadonlySet<unknown> = new Set(["ok", "changed", "gone"]);

/**
 * Checks a connected database. One that is only busy ends the check late, or
 * takes or refuses another connection.
 */
export async function checkInTime(database: Database, attempt: Attempt): Promise<Found> {
  const { signal, seconds } = attempt;
  const expired = () => new Error(`check() has not ended ${after(seconds)}`);
  const check = Promise.resolve(database.check());
  const checking = bounded(check, { signal, seconds, expired });
  if (!await settlesWithin(checking, QUIET)) {
    checking.catch(() => {});
    if (!await answers(checking, attempt)) return "silent";
  }
  const found = await checking;
  if (CHECKS.has(found)) return found;
  throw new TypeError("check() gave something else than ok, changed or gone");
}

async function answers(checking: Promise<Found>, attempt: Attempt): Promise<boolean> {
  const silence = new AbortController();
  const signal = AbortSignal.any([attempt.signal, silence.signal]);
  const refused = () => {};
  const knock = connectInTime({ ...attempt, signal }).then((database) => close(database, attempt), refused);
  const late = checking.then((found) => found === "gone" ? knock : undefined);
  const isThere = await settlesWithin(Promise.race([late, knock]), ANSWER);
  silence.abort(new Error("The server does not answer"));
  return isThere;
}

/** Closes a database. Never throws, and does not wait for ever. */
export function close(
  database: Database,
  { definition, log }: Pick<Attempt, "definition" | "log">,
): Promise<void> {
  const where = `Database ${definition.id} (${definition.dbType})`;
  const late = `${where}: its connection has not been closed`;
  return endInTime(database, { late, failed: `${where}: closing its connection failed`, log });
}

async function closeLate(connecting: Promise<Database>, attempt: Attempt): Promise<void> {
  const { definition, log } = attempt;
  const database = await Promise.resolve(connecting).catch((error: unknown) => {
    log.info(`Database ${definition.id}: an attempt that was given up has failed: ${String(error)}`);
  });
  if (database) await close(database, attempt);
}

function after(seconds: number): string {
  return `after ${seconds} seconds (server.plugin_timeout)`;
}
