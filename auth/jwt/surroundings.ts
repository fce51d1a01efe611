/**
 * The services of the routes, and answers that several of them share.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import type { Provider } from "./provider.ts";

/** The same for all requests. */
export interface Surroundings {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly host: AuthHost;
}

/** The provider that the address names; it must be named exactly once. */
export function providerOf({ query }: RouteRequest, { providers }: Surroundings): Provider | undefined {
  const ids = query.getAll("idp_id");
  return ids.length === 1 ? providers.get(ids[0] ?? "") : undefined;
}

/** The answer when `idp_id` names no enabled provider. */
export function unknownProvider(): RouteAnswer {
  return { kind: "refused", code: "not-found", message: "There is no such identity provider" };
}

/** The answer while a provider is unreachable. */
export function unreachable({ settings: { name } }: Provider, next: string): RouteAnswer {
  const message = `${name} cannot be reached at the moment: try again later`;
  return { kind: "refused", code: "unavailable", message, next };
}
