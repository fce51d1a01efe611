/**
 * Hashes, verifies and rates passwords. Both libraries are loaded on first use, which keeps the start fast.
 *
 * @module
 */

import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { tryLater } from "@/core/errors.ts";

/** The strength of a password, from 0 (guessed at once) to 4 (strong), and advice to improve it. */
interface Assessment {
  readonly score: 0 | 1 | 2 | 3 | 4;
  /** May be empty. */
  readonly advice: string;
}

/** The cost of a hash: the settings `argon2.memory_cost` (KiB) and `argon2.time_cost` (passes). */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** Hashes that are computed at the same time. */
const MOST_RUNNING = Math.max(1, Math.min(4, navigator.hardwareConcurrency - 1));
/** Guesses that may wait. */
const MOST_WAITING = 200;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Waits for its turn: a hash uses a whole core and much memory, so many concurrent guesses would block all
 * other requests (measured with 1,500 of them: 700 MB, and other requests waited for nine seconds).
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < MOST_RUNNING) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    // The work that has waited longest takes over the place.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** The Argon2id hash of a password as a PHC string, with a random salt unless one is given. */
export async function hashPassword(password: string, cost: HashCost, salt?: Uint8Array): Promise<string> {
  const { hash } = await import("@node-rs/argon2");
  const options = { ...cost, parallelism: 1, ...(salt === undefined ? {} : { salt }) };
  return await inTurn(() => hash(password, options));
}

/** Whether a stored password is a hash; any other text is the plain password, written by hand. */
export function isPasswordHash(stored: string): boolean {
  return /^\$argon2(id|i|d)\$/.test(stored);
}

/**
 * Whether `hash` belongs to `password`; false for any text that is not an Argon2 hash. Throws 503
 * while too many are being verified.
 */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  if (!isPasswordHash(hash)) return false;
  const { verify } = await import("@node-rs/argon2");
  if (waiting.length >= MOST_WAITING) {
    throw tryLater("Too many passwords are being checked: try again later", 10);
  }
  try {
    return await inTurn(() => verify(hash, password));
  } catch (error) {
    // The library throws only on a PHC string that it cannot read; such a hash matches no password.
    if (error instanceof Error) return false;
    throw error;
  }
}

/**
 * The hash of the same password at the configured cost, if the stored one is cheaper; else undefined.
 * It keeps the salt, because the salt tells whether the password has changed (see {@link
 * passwordSalt}), and never lowers a cost.
 */
export async function strengthenHash(
  stored: string,
  password: string,
  cost: HashCost,
): Promise<string | undefined> {
  const found = PHC.exec(stored);
  if (!found) return undefined;
  const [, kind, memory, time, salt = ""] = found;
  const raised = {
    memoryCost: Math.max(Number(memory), cost.memoryCost),
    timeCost: Math.max(Number(time), cost.timeCost),
  };
  const isCheap = raised.memoryCost > Number(memory) || raised.timeCost > Number(time);
  if (kind === "id" && !isCheap) return undefined;
  return await hashPassword(password, raised, Uint8Array.fromBase64(salt));
}

/** The cost of verifying a stored password, in KiB times passes; 0 for text that is not a readable hash. */
export function workOf(stored: string): number {
  const cost = costOf(stored);
  return cost ? cost.memoryCost * cost.timeCost : 0;
}

/** The cost of the most expensive stored hash, at least `configured`. */
export function dearestCost(configured: HashCost, stored: Iterable<string | undefined>): HashCost {
  let dearest = configured;
  for (const password of stored) {
    const cost = password === undefined ? undefined : costOf(password);
    if (cost && cost.memoryCost * cost.timeCost > dearest.memoryCost * dearest.timeCost) dearest = cost;
  }
  return dearest;
}

/**
 * The rest of `cost` after a cheaper hash has been verified: a user with an old, cheap hash must not be
 * answered faster than an unknown login. Undefined if the rest is at most 2 %.
 */
export function remainingCost(stored: string, { memoryCost, timeCost }: HashCost): HashCost | undefined {
  const left = memoryCost * timeCost - workOf(stored);
  return left > 0.02 * memoryCost * timeCost
    ? { memoryCost: Math.max(LEAST_MEMORY, Math.round(left / timeCost)), timeCost }
    : undefined;
}

function costOf(stored: string): HashCost | undefined {
  const [, , memory, time] = PHC.exec(stored) ?? [];
  return memory === undefined ? undefined : { memoryCost: Number(memory), timeCost: Number(time) };
}

/** Argon2's minimum, in KiB. */
const LEAST_MEMORY = 8;

/**
 * A value that stays the same when a password is hashed again and changes when the password changes: the
 * salt. For a plain password, its text.
 */
export function passwordSalt(stored: string): string {
  return PHC.exec(stored)?.[4] ?? stored;
}

const PHC = /^\$argon2(id|i|d)\$v=19\$m=(\d+),t=(\d+),p=\d+\$([A-Za-z0-9+/]+)\$/;

/** Rates a password; parts of `userInputs` (login, name, e-mail) in it make it weak. */
export async function assessPassword(password: string, userInputs: readonly string[]): Promise<Assessment> {
  estimator ??= loadEstimator();
  const result = (await estimator).check(password, [...userInputs]);
  const { warning, suggestions } = result.feedback;
  return { score: result.score, advice: [warning, ...suggestions].filter((text) => text).join(" ") };
}

let estimator: Promise<ZxcvbnFactory> | undefined;

async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [core, common, english] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
    import("@zxcvbn-ts/language-en"),
  ]);
  return new core.ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
  });
}
