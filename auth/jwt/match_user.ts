/**
 * Finds the user whom the claims of a token are about.
 *
 * @module
 */

import type { JWTPayload } from "jose";
import type { AuthHost, User } from "@/plugins/contract.ts";
import type { ProviderSettings } from "./provider_settings.ts";
import { Rejection } from "./rejection.ts";

/** The one user whose attribute equals the claim. Throws {@link Rejection}. */
export function matchUser(
  claims: JWTPayload,
  { claim, attribute, requireVerifiedEmail }: ProviderSettings,
  host: Pick<AuthHost, "findUsersBy">,
): User {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value !== "string" || value === "") throw new Rejection(`a token without a text "${claim}"`);
  if (claim === "email") requireVerified(claims["email_verified"], requireVerifiedEmail);
  const [user, ...others] = host.findUsersBy(attribute, value);
  if (!user) throw new Rejection(`no user has the "${attribute}" that the token has as "${claim}"`);
  if (others.length === 0) return user;
  throw new Rejection(`several users have the "${attribute}" that the token has as "${claim}"`);
}

/**
 * Whoever may write any address into an account at the provider could be anybody here. Some providers verify all addresses
 * and do not say so: silence counts as `false` only where the configuration says so.
 */
function requireVerified(verified: unknown, isRequired: boolean): void {
  const isVerified = verified === undefined ? !isRequired : verified === true || verified === "true";
  if (!isVerified) throw new Rejection("an e-mail address that is not verified");
}
