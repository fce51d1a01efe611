/**
 * Reads UserInfo for claims that the ID token lacks: many providers send an address only there.
 *
 * @module
 */

import type { JWTPayload } from "jose";
import * as oauth from "oauth4webapi";
import type { AuthHost } from "@/plugins/contract.ts";
import { askFor, type Redeemed, serverOf } from "./exchange_code.ts";
import { isComplete } from "./match_user.ts";
import type { Provider } from "./provider.ts";
import { Rejection } from "./rejection.ts";

/**
 * The claims that identify the user: those of the ID token if they are complete, else those of UserInfo alone, which must
 * have the same subject. Throws {@link Rejection}, and DocumentError while the provider is unreachable.
 */
export async function completeClaims(
  claims: JWTPayload,
  { accessToken }: Pick<Redeemed, "accessToken">,
  { provider, host }: { readonly provider: Provider; readonly host: AuthHost },
): Promise<JWTPayload> {
  const { settings } = provider;
  const metadata = await provider.metadata();
  if (metadata.userInfoEndpoint === undefined || isComplete(claims, settings)) return claims;
  const server = { ...serverOf(metadata), userinfo_endpoint: metadata.userInfoEndpoint };
  const client = { client_id: settings.clientId, [oauth.clockTolerance]: host.setting("clock_skew") };
  try {
    const response = await oauth.userInfoRequest(server, client, accessToken, {
      [oauth.customFetch]: (url, { headers }) => askFor("UserInfo", url, { headers }, { provider, host }),
      [oauth.allowInsecureRequests]: host.setting("sso.allow_private_addresses"),
    });
    return await oauth.processUserInfoResponse(server, client, claims.sub ?? "", response);
  } catch (error) {
    throw named(error);
  }
}

/** Messages of oauth4webapi name members and never show values. */
function named(error: unknown): unknown {
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new Rejection("the provider does not take its own access token for UserInfo");
  }
  const isOfPackage = error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError;
  return isOfPackage ? new Rejection(`UserInfo: ${error.message}`) : error;
}
