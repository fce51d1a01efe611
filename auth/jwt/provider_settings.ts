/**
 * Reads `identity_providers` of the policy file. A provider with a mistake is
 * reported and left out; the others work.
 *
 * @module
 */

import type { AuthHost } from "@/plugins/contract.ts";
import type { Pattern } from "@/plugins/kit/providers/match_user.ts";
import { complain, flag, inside, type Members, oneOf, parsed, type Place } from "@/plugins/kit/members.ts";
import {
  type CommonSettings,
  isUrl,
  pattern,
  providerTable,
  readProviderBlocks,
  webAddress,
  writtenText,
} from "@/plugins/kit/providers/provider_blocks.ts";

/** One enabled provider. */
export interface ProviderSettings extends CommonSettings {
  /** The claim that identifies the user. */
  readonly claim: string;
  /** A pattern that the claim must match, and the part that counts. */
  readonly pattern: Pattern | undefined;
  /** An e-mail address only counts if the provider says that it is verified. */
  readonly requireVerifiedEmail: boolean;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The method of sending the secret; undefined: from the provider's metadata. */
  readonly tokenAuthentication: (typeof TOKEN_AUTHENTICATION)[number] | undefined;
  readonly redirectUri: string;
  /** The address that the provider leads to after a logout. */
  readonly postLogoutRedirectUri: string | undefined;
  readonly responseType: "code" | "id_token";
  readonly scope: string;
  /** URLs or files. */
  readonly wellKnown: string;
  readonly jwksUri: string | undefined;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
}

/** The end of `redirect_uri`. */
export const CALLBACK = "/login/callback";
const TOKEN_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "none"] as const;
const RESPONSE_TYPES = ["code", "id_token"] as const;
/** The members of a provider. */
export const PROVIDER = providerTable({
  claim_attribute: writtenText,
  claim_regex: pattern("claim_regex"),
  require_verified_email: flag,
  client_id: writtenText,
  client_secret: writtenText,
  token_endpoint_auth_method: oneOf(TOKEN_AUTHENTICATION),
  redirect_uri: writtenText,
  post_logout_redirect_uri: webAddress,
  response_type: oneOf(RESPONSE_TYPES),
  scope: parsed(readScope),
  well_known_configuration: writtenText,
  jwks_uri: writtenText,
  authorization_endpoint: webAddress,
  token_endpoint: webAddress,
}, [
  "claim_attribute",
  "user_config_attribute",
  "client_id",
  "redirect_uri",
  "response_type",
  "well_known_configuration",
]);

/** The enabled providers without a mistake, in the order of the file. */
export function readProviders(
  configured: unknown,
  host: Pick<AuthHost, "complain">,
): readonly ProviderSettings[] {
  return readProviderBlocks(configured, PROVIDER, host, settle);
}

function settle(
  read: Members<typeof PROVIDER.shape>,
  common: CommonSettings,
  place: Place,
): ProviderSettings {
  checkRedirectUri(common.id, read.redirect_uri, place);
  const sending = read.token_endpoint_auth_method;
  if (sending !== undefined && sending !== "none" && read.client_secret === undefined) {
    complain(inside(place, "client_secret"), `Is missing: token_endpoint_auth_method is ${sending}`);
  }
  return {
    ...common,
    claim: read.claim_attribute ?? "",
    requireVerifiedEmail: read.require_verified_email ?? true,
    clientId: read.client_id ?? "",
    redirectUri: read.redirect_uri ?? "",
    postLogoutRedirectUri: read.post_logout_redirect_uri,
    responseType: read.response_type ?? "code",
    scope: read.scope ?? "openid email",
    wellKnown: read.well_known_configuration ?? "",
    pattern: read.claim_regex,
    clientSecret: read.client_secret,
    tokenAuthentication: sending,
    jwksUri: read.jwks_uri,
    authorizationEndpoint: read.authorization_endpoint,
    tokenEndpoint: read.token_endpoint,
  };
}

function checkRedirectUri(id: string, written: string | undefined, place: Place): void {
  if (written === undefined) return;
  const url = URL.parse(written);
  const fits = url && isUrl(written) && url.pathname.endsWith(CALLBACK) &&
    url.searchParams.getAll("idp_id").join() === id;
  if (fits) return;
  complain(
    inside(place, "redirect_uri"),
    `Expected the address of this service with /login/callback?idp_id=${id}`,
  );
}

function readScope(scope: string): string {
  if (scope.split(" ").includes("openid")) return scope;
  throw new Error('Expected words with spaces between them, "openid" among them');
}
