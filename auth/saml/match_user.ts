/**
 * Finds the user who logged in at a provider.
 *
 * @module
 */

import type { AuthHost, User } from "@/plugins/contract.ts";
import type { Identity } from "./identity.ts";
import { Rejection, require } from "./rejection.ts";
import type { ProviderSettings } from "./settings.ts";

/** Most values that are looked at, and the longest that can be somebody's. */
const MOST_VALUES = 1_000;
const LONGEST_VALUE = 1_024;

/** The one user whose attribute equals what the provider says. Throws {@link Rejection}. */
export function matchUser(
  identity: Identity,
  { source, attribute, pattern }: Pick<ProviderSettings, "source" | "attribute" | "pattern">,
  host: Pick<AuthHost, "findUsersBy">,
): User {
  const values = valuesOf(identity, source);
  require(values.length > 0, `an assertion without "${source}"`);
  require(values.length <= MOST_VALUES, `an assertion with too many values of "${source}"`);
  require(
    values.every(({ length }) => length <= LONGEST_VALUE),
    `an assertion with a "${source}" that is too long`,
  );
  const picked = new Set(values.flatMap((value) => pattern ? pattern.pick(value) ?? [] : [value]));
  require(picked.size > 0, `no "${source}" fits saml_auth_regex`);
  const users = [...picked].flatMap((value) => host.findUsersBy(attribute, value));
  const [user, ...others] = new Map(users.map((each) => [each.login, each])).values();
  if (!user) throw new Rejection(`no user has the "${attribute}" that the assertion has as "${source}"`);
  require(others.length === 0, `several users have an "${attribute}" that the assertion has as "${source}"`);
  return user;
}

/** An attribute's name goes before what people call it. */
function valuesOf({ nameId, attributes }: Identity, source: string): readonly string[] {
  if (source === "NameID") return nameId ? [nameId.value] : [];
  const named = attributes.filter(({ name }) => name === source);
  const found = named.length > 0 ? named : attributes.filter(({ friendlyName }) => friendlyName === source);
  return found.flatMap(({ values }) => values);
}
