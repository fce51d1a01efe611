/**
 * A provider's metadata with the configuration's overrides. Pure.
 *
 * @module
 */

import type { AuthorizationServer } from "oauth4webapi";
import { defined } from "@/plugins/kit/members.ts";
import { isUrl } from "@/plugins/kit/providers/provider_blocks.ts";
import type { ProviderSettings } from "./provider_settings.ts";

/** The metadata of a provider: the members of its document that count. */
export interface Metadata extends AuthorizationServer {
  readonly jwks_uri: string;
  /** Algorithms that may sign its tokens; never symmetric ones. */
  readonly id_token_signing_alg_values_supported: string[];
  readonly prompt_values_supported?: string[];
}

/** Asymmetric algorithms only: a key set is public, so any reader could sign with a symmetric algorithm. */
const ASYMMETRIC = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

/** Reads a provider's configuration document. Throws if a required member is missing. */
export function readMetadata(
  document: Readonly<Record<string, unknown>>,
  settings: ProviderSettings,
): Metadata {
  const listed = texts(document["id_token_signing_alg_values_supported"]) ?? ["RS256"];
  const algorithms = listed.filter((name) => ASYMMETRIC.test(name));
  if (algorithms.length === 0) throw new Error("It offers no algorithm with public keys for signatures");
  const issuer = document["issuer"];
  if (typeof issuer !== "string" || issuer === "") throw new Error('It has no text "issuer"');
  const jwksUri = settings.jwksUri ?? urlIn(document, "jwks_uri");
  if (jwksUri === undefined) throw new Error('It has no "jwks_uri", and there is none in the configuration');
  // A login must not fail because of the logout.
  const ending = String(document["end_session_endpoint"]);
  return {
    issuer,
    jwks_uri: jwksUri,
    id_token_signing_alg_values_supported: algorithms,
    authorization_response_iss_parameter_supported:
      document["authorization_response_iss_parameter_supported"] === true,
    ...defined({
      authorization_endpoint: settings.authorizationEndpoint ?? urlIn(document, "authorization_endpoint"),
      token_endpoint: settings.tokenEndpoint ?? urlIn(document, "token_endpoint"),
      userinfo_endpoint: urlIn(document, "userinfo_endpoint"),
      end_session_endpoint: isUrl(ending) ? ending : undefined,
      response_modes_supported: texts(document["response_modes_supported"]),
      prompt_values_supported: texts(document["prompt_values_supported"]),
      userinfo_signing_alg_values_supported: texts(document["userinfo_signing_alg_values_supported"]),
      token_endpoint_auth_methods_supported: texts(document["token_endpoint_auth_methods_supported"]),
    }),
  };
}

function urlIn(document: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = document[key];
  if (value === undefined) return undefined;
  if (typeof value === "string" && isUrl(value)) return value;
  throw new Error(`Its "${key}" is no URL`);
}

function texts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === "string");
}
