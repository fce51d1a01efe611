/**
 * A provider's metadata with the configuration's overrides. Pure.
 *
 * @module
 */

import { isUrl } from "@/plugins/kit/provider_blocks.ts";
import type { ProviderSettings } from "./provider_settings.ts";

/** The metadata of a provider. */
export interface Metadata {
  /** The claim `iss` of its tokens. */
  readonly issuer: string;
  readonly jwksUri: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly userInfoEndpoint: string | undefined;
  /** Algorithms that may sign its tokens; never symmetric ones. */
  readonly algorithms: readonly string[];
  /** `response_modes_supported`; absent: the defaults of the standard. */
  readonly responseModes: readonly string[];
  /** The supported prompts; undefined: unknown. */
  readonly prompts: readonly string[] | undefined;
  /** Every answer of its login has the parameter `iss`. */
  readonly namesIssuer: boolean;
  /** The supported methods of sending the client secret. */
  readonly tokenAuthentication: readonly string[];
}

/** Asymmetric algorithms only: a key set is public, so any reader could sign with a symmetric algorithm. */
const ASYMMETRIC = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

/** Reads a provider's configuration document. Throws if a required member is missing. */
export function readMetadata(
  document: Readonly<Record<string, unknown>>,
  settings: ProviderSettings,
): Metadata {
  const listed = document["id_token_signing_alg_values_supported"];
  const algorithms = texts(listed, ["RS256"]).filter((name) => ASYMMETRIC.test(name));
  if (algorithms.length === 0) throw new Error("It offers no algorithm with public keys for signatures");
  const issuer = document["issuer"];
  if (typeof issuer !== "string" || issuer === "") throw new Error('It has no text "issuer"');
  const jwksUri = settings.jwksUri ?? urlIn(document, "jwks_uri");
  if (jwksUri === undefined) throw new Error('It has no "jwks_uri", and there is none in the configuration');
  const prompts = document["prompt_values_supported"];
  return {
    issuer,
    jwksUri,
    algorithms,
    authorizationEndpoint: settings.authorizationEndpoint ?? urlIn(document, "authorization_endpoint"),
    tokenEndpoint: settings.tokenEndpoint ?? urlIn(document, "token_endpoint"),
    userInfoEndpoint: urlIn(document, "userinfo_endpoint"),
    responseModes: texts(document["response_modes_supported"], ["query", "fragment"]),
    prompts: Array.isArray(prompts) ? texts(prompts, []) : undefined,
    namesIssuer: document["authorization_response_iss_parameter_supported"] === true,
    tokenAuthentication: texts(document["token_endpoint_auth_methods_supported"], ["client_secret_basic"]),
  };
}

function urlIn(document: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = document[key];
  if (value === undefined) return undefined;
  if (typeof value === "string" && isUrl(value)) return value;
  throw new Error(`Its "${key}" is no URL`);
}

function texts(value: unknown, fallback: readonly string[]): readonly string[] {
  if (!Array.isArray(value)) return fallback;
  return value.filter((item): item is string => typeof item === "string");
}
