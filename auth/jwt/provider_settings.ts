/**
 * Reads `identity_providers` of the policy file. A provider with a mistake is reported and left out; the others work.
 *
 * @module
 */

import type { AuthHost, BlockReader, MatchAttribute, ProviderBlock } from "@/plugins/contract.ts";
import { MATCH_ATTRIBUTES } from "@/plugins/kit/identity_providers.ts";
import { type Pattern, readPattern } from "@/plugins/kit/match_user.ts";
import { isUrl } from "@/plugins/kit/web_address.ts";

/** One enabled provider. */
export interface ProviderSettings {
  readonly id: string;
  /** The label of its button. */
  readonly name: string;
  readonly visible: boolean;
  /** The claim that identifies the user, and the attribute of users that it must equal. */
  readonly claim: string;
  readonly attribute: MatchAttribute;
  /** A pattern that the claim must match, and the part that counts. */
  readonly pattern?: Pattern;
  /** An e-mail address only counts if the provider says that it is verified. */
  readonly requireVerifiedEmail: boolean;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The method of sending the secret; absent: from the provider's metadata. */
  readonly tokenAuthentication?: (typeof TOKEN_AUTHENTICATION)[number];
  readonly redirectUri: string;
  readonly responseType: "code" | "id_token";
  readonly scope: string;
  /** URLs or files. */
  readonly wellKnown: string;
  readonly jwksUri?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
}

const CALLBACK = /\/login\/callback$/;
const TOKEN_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "none"] as const;
const RESPONSE_TYPES = ["code", "id_token"] as const;
const KEYS: readonly string[] = [
  "claim_attribute",
  "claim_regex",
  "user_config_attribute",
  "require_verified_email",
  "client_id",
  "client_secret",
  "token_endpoint_auth_method",
  "redirect_uri",
  "response_type",
  "scope",
  "well_known_configuration",
  "jwks_uri",
  "authorization_endpoint",
  "token_endpoint",
];

/** The enabled providers without a mistake, in the order of the file. */
export function readProviders(
  configured: unknown,
  host: Pick<AuthHost, "providerBlocks">,
): readonly ProviderSettings[] {
  return host.providerBlocks(configured, KEYS).flatMap((provider) => {
    const settings = readProvider(provider);
    return provider.block.hasRefused ? [] : [settings];
  });
}

function readProvider({ id, name, visible, block: reader }: ProviderBlock): ProviderSettings {
  return {
    id,
    name,
    visible,
    claim: reader.text("claim_attribute"),
    attribute: reader.choice("user_config_attribute", MATCH_ATTRIBUTES),
    ...readPattern("claim_regex", reader),
    requireVerifiedEmail: reader.flag("require_verified_email", true),
    clientId: reader.text("client_id"),
    ...textIn("client_secret", "clientSecret", reader),
    ...readTokenAuthentication(reader),
    redirectUri: readRedirectUri(id, reader),
    responseType: reader.choice("response_type", RESPONSE_TYPES),
    scope: readScope(reader),
    wellKnown: reader.text("well_known_configuration"),
    ...textIn("jwks_uri", "jwksUri", reader),
    ...urlIn("authorization_endpoint", "authorizationEndpoint", reader),
    ...urlIn("token_endpoint", "tokenEndpoint", reader),
  };
}

function readRedirectUri(id: string, reader: BlockReader): string {
  const written = reader.text("redirect_uri");
  const url = URL.parse(written);
  const names = url?.searchParams.getAll("idp_id") ?? [];
  const fits = url && isUrl(written) && CALLBACK.test(url.pathname) && url.hash === "" &&
    names.length === 1 && names[0] === id;
  if (written !== "" && !fits) {
    reader.refuse("redirect_uri", `Expected the address of this service with /login/callback?idp_id=${id}`);
  }
  return written;
}

/** A method that sends a secret needs one. */
function readTokenAuthentication(reader: BlockReader): Pick<ProviderSettings, "tokenAuthentication"> {
  const key = "token_endpoint_auth_method";
  if (!reader.has(key)) return {};
  const tokenAuthentication = reader.choice(key, TOKEN_AUTHENTICATION);
  if (tokenAuthentication !== "none" && !reader.has("client_secret")) {
    reader.refuse("client_secret", `Is missing: ${key} is ${tokenAuthentication}`);
  }
  return { tokenAuthentication };
}

function readScope(reader: BlockReader): string {
  const scope = reader.text("scope", "openid email");
  if (!scope.split(" ").includes("openid")) {
    reader.refuse("scope", 'Expected words with spaces between them, "openid" among them');
  }
  return scope;
}

type Optional<Name extends string> = { readonly [Key in Name]?: string };

function textIn<Name extends string>(key: string, name: Name, reader: BlockReader): Optional<Name> {
  const text = reader.optional(key);
  return (text === undefined ? {} : { [name]: text }) as Optional<Name>;
}

function urlIn<Name extends string>(key: string, name: Name, reader: BlockReader): Optional<Name> {
  const text = reader.optional(key);
  if (text !== undefined && text !== "" && !isUrl(text)) reader.refuse(key, "Expected a URL");
  return (text === undefined ? {} : { [name]: text }) as Optional<Name>;
}
