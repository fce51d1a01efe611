/**
 * Finds the user who logged in at a provider.
 *
 * @module
 */

import type { AuthHost, User } from "@/plugins/contract.ts";
import { matchUser as matchValues } from "@/plugins/kit/match_user.ts";
import type { Identity } from "./identity.ts";
import { require } from "./rejection.ts";
import type { ProviderSettings } from "./settings.ts";

/** Limits on the number of compared values and on their length. */
const MOST_VALUES = 1_000;
const LONGEST_VALUE = 1_024;

/** The one user whose attribute equals the provider's value exactly. Throws {@link Rejection} or `Unmatched`. */
export function matchUser(
  identity: Identity,
  settings: Pick<ProviderSettings, "source" | "attribute" | "pattern">,
  host: Pick<AuthHost, "findUsersBy">,
): User {
  const { source } = settings;
  const values = valuesOf(identity, source);
  require(values.length > 0, `an assertion without "${source}"`);
  require(values.length <= MOST_VALUES, `an assertion with too many values of "${source}"`);
  require(
    values.every(({ length }) => length <= LONGEST_VALUE),
    `an assertion with a "${source}" that is too long`,
  );
  const findUsersBy: AuthHost["findUsersBy"] = (attribute, value) => host.findUsersBy(attribute, value);
  return matchValues({ ...settings, document: "the assertion", values, findUsersBy });
}

/** An attribute's name takes precedence over its friendly name. */
function valuesOf({ nameId, attributes }: Identity, source: string): readonly string[] {
  if (source === "NameID") return nameId ? [nameId.value] : [];
  const named = attributes.filter(({ name }) => name === source);
  const found = named.length > 0 ? named : attributes.filter(({ friendlyName }) => friendlyName === source);
  return found.flatMap(({ values }) => values);
}
