/**
 * Hashes, verifies and rates passwords. Both libraries are loaded when they are first needed, so that the start stays
 * fast.
 *
 * @module
 */

import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/** How hard a password is to guess, from 0 (at once) to 4 (strong), and what would make it better. */
export interface Assessment {
  readonly score: 0 | 1 | 2 | 3 | 4;
  /** Empty when there is nothing to say. */
  readonly advice: string;
}

/** OWASP's recommendation for Argon2id (which is the library's default kind): 19 MiB, two passes, one lane. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The Argon2id hash of a password as a PHC string with its own random salt. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import("@node-rs/argon2");
  return await hash(password, ARGON2);
}

/** Whether `hash` was made from `password`. False for anything that is no Argon2 hash. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  if (!/^\$argon2(id|i|d)\$/.test(hash)) return false;
  const { verify } = await import("@node-rs/argon2");
  try {
    return await verify(hash, password);
  } catch (error) {
    // The library throws on a PHC string it cannot read, and only then: such a hash fits no password.
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Rates a password; `userInputs` (login, name, e-mail) make a password that contains them weak. */
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
