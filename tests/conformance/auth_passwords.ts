/**
 * Tests of the suite in auth.ts about methods that check passwords.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AuthSubject } from "@/tests/conformance/auth.ts";
import { HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";

/** A login with a password. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
}

/** What the author of a method with `checkPassword` gives: at least one login with its password. */
export interface PasswordAttempts {
  readonly accepted: readonly Credentials[];
  /** Beside those that the suite makes of the accepted ones. */
  readonly rejected?: readonly Credentials[];
}

async function knows({ method }: AuthSubject, { login, password }: Credentials): Promise<unknown> {
  return await method.checkPassword?.(login, password);
}

/** True and false, nothing else: for right ones, for those of others, and for logins that are made up. */
export async function checksPasswords(subject: AuthSubject): Promise<void> {
  const { accepted = [], rejected = [] } = subject.passwords ?? {};
  assert.notEqual(accepted.length, 0, "there is a password to check");
  const others = accepted.flatMap(({ login, password }) => [
    { login, password: `${password}x` },
    { login, password: password.slice(1) },
    { login: `${login}x`, password },
    { login: "nobody-0123456789abcdef", password: "0123456789abcdef0123456789abcdef" },
    ...accepted.filter((other) => other.password !== password).map((other) => ({ ...other, password })),
  ]);
  for (const each of accepted) assert.equal(await knows(subject, each), true, each.login);
  for (const each of [...others, ...rejected]) assert.equal(await knows(subject, each), false, each.login);
  // Whoever waits for one answer must not get that of another.
  const all = [...accepted, ...others];
  const answers = await Promise.all(all.map((each) => knows(subject, each)));
  assert.deepEqual(answers, all.map((each) => accepted.includes(each)), "at the same time");
}

/** Hostile texts belong to nobody, neither as a login nor as a password. */
export async function survivesHostilePasswords(subject: AuthSubject): Promise<void> {
  for (const { login, password } of subject.passwords?.accepted ?? []) {
    for (const text of [...HOSTILE_TEXTS, ...PATTERNS]) {
      for (
        const each of [{ login: text, password }, { login, password: text }, { login: text, password: text }]
      ) {
        // The service asks for no empty password.
        if (each.password === "") continue;
        assert.equal(await knows(subject, each), false, JSON.stringify(each));
      }
    }
  }
}

/** Texts with a meaning in filters and names of directories. */
const PATTERNS: readonly string[] = [
  "*",
  "*)(uid=*",
  "a,b",
  "uid=a",
  "\\2a",
  "a\\",
  "#a",
  'a"b',
  "a+b=c",
  "\0",
];
