/**
 * What the routes work with, and answers that several of them give.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import type { Provider } from "./provider.ts";

/** The same for every request. */
export interface Surroundings {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly host: AuthHost;
}

/** The provider that the address names, once. */
export function providerOf({ query }: RouteRequest, { providers }: Surroundings): Provider | undefined {
  const ids = query.getAll("idp_id");
  return ids.length === 1 ? providers.get(ids[0] ?? "") : undefined;
}

/** The answer where `idp_id` names no provider that is on. */
export function unknownProvider(): RouteAnswer {
  return { kind: "refused", code: "not-found", message: "There is no such identity provider" };
}

/** The answer while a provider cannot be asked. */
export function unreachable({ settings: { name } }: Provider, next: string): RouteAnswer {
  const message = `${name} cannot be reached at the moment: try again later`;
  return { kind: "refused", code: "unavailable", message, next };
}
