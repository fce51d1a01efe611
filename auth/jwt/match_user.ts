/**
 * Finds the user that the claims of a provider identify.
 *
 * @module
 */

import type { JWTPayload } from "jose";
import type { AuthHost, User } from "@/plugins/contract.ts";
import { matchUser as matchValues, unmatched } from "@/plugins/kit/providers/match_user.ts";
import type { ProviderSettings } from "./provider_settings.ts";

/**
 * The one user whose attribute equals the claim, or one value of a list. Throws `Unmatched`.
 */
export function matchUser(
  claims: JWTPayload,
  settings: Pick<ProviderSettings, "claim" | "attribute" | "pattern" | "requireVerifiedEmail">,
  host: Pick<AuthHost, "findUsersBy">,
): User {
  const { claim: source, requireVerifiedEmail } = settings;
  const values = valuesOf(claims, source);
  if (values.length === 0) {
    throw unmatched(`a token without a text "${source}"`, "unnamed", [claims.sub ?? ""]);
  }
  const verified = claims[VERIFIED];
  if (source === EMAIL && !isVerified(verified, requireVerifiedEmail)) {
    const what = verified === undefined
      ? `without ${VERIFIED}, which require_verified_email asks for`
      : "that is not verified";
    throw unmatched(`an e-mail address ${what}`, "unverified", values);
  }
  // Providers send addresses as people typed them.
  const ignoreCase = settings.attribute === EMAIL;
  return matchValues({ ...settings, source, document: "the token", values, ignoreCase }, host);
}

/** Whether the claims contain everything that identifies the user. */
export function isComplete(
  claims: JWTPayload,
  { claim, requireVerifiedEmail }: Pick<ProviderSettings, "claim" | "requireVerifiedEmail">,
): boolean {
  if (valuesOf(claims, claim).length === 0) return false;
  return claim !== EMAIL || !requireVerifiedEmail || claims[VERIFIED] !== undefined;
}

const EMAIL = "email";
const VERIFIED = "email_verified";

function valuesOf(claims: JWTPayload, claim: string): readonly string[] {
  const value = claims[claim];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === "string" && each !== "");
}

/**
 * An unverified address could be that of any user here. Some providers verify all addresses without saying
 * so: a missing claim counts as true only if the configuration says so.
 */
function isVerified(verified: unknown, isRequired: boolean): boolean {
  return verified === undefined ? !isRequired : verified === true || verified === "true";
}
