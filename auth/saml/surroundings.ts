/**
 * The services of the routes, and answers that several of them share.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import type { Peer, Provider } from "./provider.ts";
import type { ResponseRules } from "./response_rules.ts";
import type { Schemas } from "./schema.ts";
import type { Signer } from "./sign.ts";
import type { ProviderSettings } from "./settings.ts";
import type { Clock } from "./times.ts";

/** The same for all requests. */
export interface Surroundings {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly schemas: Schemas;
  readonly host: AuthHost;
}

/** A request to a provider's address. */
export interface Arrived {
  readonly request: RouteRequest;
  readonly provider: Provider;
  readonly surroundings: Surroundings;
}

/** Seconds for which ids of messages are remembered; longer than any message is valid. */
export const MESSAGE_LIFETIME = 86_400;

/** The answer when the address names no enabled provider. */
export function unknownProvider(): RouteAnswer {
  return { kind: "refused", code: "not-found", message: "There is no such identity provider" };
}

/** The answer to a request that no provider would cause. */
export function badRequest(message: string): RouteAnswer {
  return { kind: "refused", code: "bad-request", message };
}

/** The fields of a form; JSON of a program counts as empty. */
export async function formIn({ headers, fields }: RouteRequest): Promise<ReadonlyMap<string, string>> {
  const isJson = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return isJson ? new Map() : await fields();
}

/** The answer while a provider's metadata cannot be read. */
export function unreachable({ settings: { name } }: Provider, next: string): RouteAnswer {
  const message = `${name} cannot be reached at the moment: try again later`;
  return { kind: "refused", code: "unavailable", message, next, redirect: true };
}

/** The provider that the path names. */
export function providerOf({ parameters }: RouteRequest, { providers }: Surroundings): Provider | undefined {
  return providers.get(parameters.get("idp_id") ?? "");
}

function clockOf({ now, setting }: AuthHost): Clock {
  return { now: now(), skew: setting("clock_skew") * 1000 };
}

/** The signer of messages, if the configuration requires signatures. */
export function signerIf(isWanted: boolean, { sp, security }: ProviderSettings): Signer | undefined {
  if (!isWanted || !sp.key) return undefined;
  const { signatureAlgorithm, digestAlgorithm } = security;
  const certificate = sp.certificate ? { certificate: sp.certificate.text } : {};
  return { key: sp.key, ...certificate, signatureAlgorithm, digestAlgorithm };
}

/** The rules for all messages of a provider. */
export type MessageRules = Omit<ResponseRules, "audience" | "destination">;

/** The rules with the present keys and time. */
export function rulesFor(
  { settings }: Provider,
  { keys, entityId: issuer }: Peer,
  { schemas, host }: Surroundings,
): MessageRules {
  const { sp, security } = settings;
  return {
    schemas,
    security,
    keys,
    issuer,
    key: sp.key,
    rejectDeprecated: security.rejectDeprecatedAlgorithm,
    clock: clockOf(host),
  };
}
