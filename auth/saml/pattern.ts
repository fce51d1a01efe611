/**
 * `saml_auth_regex`: matched in a time that grows with the length of the value and nothing else.
 *
 * @module
 */

import { RE2JS, RE2JSException } from "re2js";
import type { BlockReader } from "@/plugins/contract.ts";

/** A pattern for values. */
export interface Pattern {
  /** What counts of a value that fits as a whole: the first group, or everything; undefined if it does not fit. */
  pick(value: string): string | undefined;
}

/** Reads the pattern of a provider, if it has one. */
export function readPattern(block: BlockReader): Pattern | undefined {
  const written = block.value("saml_auth_regex") === "" ? undefined : block.optional("saml_auth_regex");
  if (written === undefined || written === "") return undefined;
  try {
    return compile(written);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    block.refuse("saml_auth_regex", `Expected a regular expression of RE2: ${error.message}`);
    return undefined;
  }
}

function compile(written: string): Pattern {
  const pattern = RE2JS.compile(written);
  return {
    pick(value) {
      const matcher = pattern.matcher(value);
      if (!matcher.matches()) return undefined;
      return (matcher.groupCount() > 0 ? matcher.group(1) : value) ?? undefined;
    },
  };
}
