/**
 * Finds the user that an identity provider means. Patterns are matched in linear time.
 *
 * @module
 */

import { RE2JS, RE2JSException } from "re2js";
import type { AuthHost, MatchAttribute, User } from "@/plugins/contract.ts";
import { LoginFailure } from "./login_failure.ts";

/** A pattern for values. */
export interface Pattern {
  /** Its key in the configuration. */
  readonly key: string;
  /**
   * The part of a matching value that counts: the first group, or everything; undefined for a
   * value that does not match as a whole.
   */
  pick(value: string): string | undefined;
}

/**
 * Compiles a pattern; `key` is its place in the configuration. The message of
 * its error describes the mistake.
 */
export function compilePattern(key: string, written: string): Pattern {
  const pattern = compile(written);
  return {
    key,
    pick(value) {
      const matcher = pattern.matcher(value);
      if (!matcher.matches()) return undefined;
      return (matcher.groupCount() > 0 ? matcher.group(1) : value) ?? undefined;
    },
  };
}

function compile(written: string): RE2JS {
  try {
    return RE2JS.compile(written);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Error(`Expected a regular expression of RE2: ${error.message}`);
  }
}

/** Why a person whom a provider has logged in gets no session. */
export interface Mismatch {
  /** For operators, without values. */
  readonly reason: string;
  readonly kind: "unknown" | "ambiguous" | "unverified" | "unnamed";
  /** The provider's value: for `admin`, and for the person. */
  readonly value: string;
}

/** Characters of shown values: a note about them is part of an address. */
const LONGEST_SHOWN = 250;

/** The provider has logged in a person who matches no single user here. */
export class Unmatched extends LoginFailure {
  /** Nothing is guessed: the provider has proved who it is, and colleagues may share the address. */
  override readonly counts = false;

  constructor(readonly mismatch: Mismatch) {
    super(mismatch.reason);
  }

  override messageFor(provider: string): string {
    const { kind, value } = this.mismatch;
    const told = `${provider} says that you are "${value}"`;
    return {
      unknown:
        `There is no account for you here: ${told}. Ask the administrator for one, or log in with another`,
      ambiguous: `${told}, and two accounts here have that: ask the administrator which one is yours`,
      unverified:
        `${told}, and has not verified that address: have it verified there, or ask the administrator`,
      // The message leaves the value out: it may be empty, or a NameID that differs for each login.
      unnamed:
        `${provider} has logged you in, but leaves out what your account here is found by: ask the administrator`,
    }[kind];
  }
}

/** The failure for a provider's values. */
export function unmatched(reason: string, kind: Mismatch["kind"], values: readonly string[]): Unmatched {
  const value = values.join(", ").slice(0, LONGEST_SHOWN);
  return new Unmatched({ reason, kind, value });
}

/** A provider's values for a person. */
interface Matching {
  /** The provider's document and the place of the values in it: `the token`, `the assertion`. */
  readonly document: string;
  readonly source: string;
  readonly values: readonly string[];
  readonly pattern?: Pattern | undefined;
  /** The attribute of users that one of the values must equal. */
  readonly attribute: MatchAttribute;
  readonly ignoreCase?: boolean;
}

/** The one user that the values identify. Throws {@link Unmatched}. */
export function matchUser(
  { document, source, values, pattern, attribute, ignoreCase = false }: Matching,
  host: Pick<AuthHost, "findUsersBy">,
): User {
  const picked = new Set(values.flatMap((value) => pattern ? pattern.pick(value) ?? [] : [value]));
  if (pattern && picked.size === 0) throw unmatched(`no "${source}" fits ${pattern.key}`, "unknown", values);
  const users = [...picked].flatMap((value) => host.findUsersBy(attribute, value, { ignoreCase }));
  const [user, ...others] = new Map(users.map((each) => [each.login, each])).values();
  const what = `"${attribute}" that ${document} has as "${source}"`;
  if (!user) throw unmatched(`no user has the ${what}`, "unknown", values);
  if (others.length > 0) throw unmatched(`several users have the ${what}`, "ambiguous", values);
  return user;
}
