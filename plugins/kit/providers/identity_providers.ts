/**
 * The common parts of methods with identity providers: usable providers, their buttons and notices, their
 * routes, and when their documents are read.
 *
 * @module
 */

import type { AuthHost, AuthMethod, AuthRoute, Json, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { NetworkTurns } from "@/plugins/kit/network_turns.ts";
import { OtherKey, Unreachable } from "./login_failure.ts";

/**
 * The parameter that asks the provider to let the user choose an account, because the last one did not match.
 */
export const CHOOSE = "choose";

/** One identity provider. */
export interface IdentityProvider {
  readonly settings: { readonly id: string; readonly name: string; readonly visible: boolean };
  /** Public facts for clients that log in at the provider by themselves. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** Whether the last attempt to read one of its documents failed. */
  readonly isFailing: boolean;
  /** Reads all documents that are not cached. Failures are logged and retried later. */
  warmUp(): Promise<void>;
  /** Files that cannot be used are mistakes of the configuration: keys below its block, and sentences. */
  mistakes(): Promise<readonly (readonly [key: string, message: string])[]>;
}

/** The providers without a mistake, by their id, and the parts of the method that they give it. */
interface OpenedProviders<Provider> {
  readonly providers: ReadonlyMap<string, Provider>;
  /** The public facts, as known now, about the providers with a button, by their id. */
  readonly described: () => Readonly<Record<string, Json>>;
  readonly method: Required<Pick<AuthMethod, "buttons" | "notices" | "start">>;
}

/**
 * Opens the configured providers; `begin` is the path where logins begin. Mistakes
 * of a provider become complaints.
 */
export async function openProviders<Settings, Provider extends IdentityProvider>(
  configured: readonly Settings[],
  { host, begin, open }: {
    readonly host: AuthHost;
    readonly begin: string;
    readonly open: (settings: Settings, signal: AbortSignal) => Provider;
  },
): Promise<OpenedProviders<Provider>> {
  const controller = new AbortController();
  const all = configured.map((settings) => open(settings, controller.signal));
  const mistakes = await Promise.all(all.map((provider) => provider.mistakes()));
  for (const [index, { settings: { id } }] of all.entries()) {
    for (const [key, message] of mistakes[index] ?? []) {
      host.complain(`identity_providers.${id}.${key}`, message);
    }
  }
  const usable = all.filter((_provider, index) => mistakes[index]?.length === 0);
  const visible = usable.filter(({ settings }) => settings.visible);
  return {
    providers: new Map(usable.map((provider) => [provider.settings.id, provider])),
    described: () =>
      Object.fromEntries(
        visible.map(({ settings: { id, name }, facts }) => [id, { idp_name: name, ...facts }]),
      ),
    method: {
      buttons: (page) => visible.map(({ settings }) => buttonOf(settings, `${host.prefix}${begin}`, page)),
      notices: () => noticesOf(visible),
      start: () => warmUp(usable, controller),
    },
  };
}

/** After a failure the user chooses an account. */
function buttonOf(
  { id, name }: IdentityProvider["settings"],
  begin: string,
  { next, afterFailure = false }: { readonly next: string; readonly afterFailure?: boolean },
): { readonly label: string; readonly href: string } {
  const query = new URLSearchParams({ idp_id: id, next, ...(afterFailure ? { [CHOOSE]: "true" } : {}) });
  return { label: `Log in with ${name}`, href: `${begin}?${query}` };
}

/** Showing the page retries failing providers. */
function noticesOf(visible: readonly IdentityProvider[]): readonly string[] {
  const failing = visible.filter(({ isFailing }) => isFailing);
  for (const provider of failing) void provider.warmUp();
  return failing.map(({ settings: { name } }) =>
    `${name} cannot be reached at the moment: logging in there may fail`
  );
}

function warmUp(usable: readonly IdentityProvider[], controller: AbortController): AsyncDisposable {
  const begun = usable.map((provider) => provider.warmUp());
  return {
    async [Symbol.asyncDispose]() {
      controller.abort(new Error("The service ends"));
      await Promise.all(begun);
    },
  };
}

/** A request to the address of a provider. */
export interface Arrived<Provider> {
  readonly request: RouteRequest;
  readonly provider: Provider;
  readonly host: AuthHost;
}

/** The services of the routes of a method. */
export interface Surroundings<Provider> {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly host: AuthHost;
}

/** A path that a provider, or another site, sends browsers to. */
interface ProviderRoute<Provider> extends Pick<AuthRoute, "method" | "path" | "maxBody"> {
  /** Finds the provider's id in a request. */
  readonly idIn: (request: RouteRequest) => string | null | undefined;
  readonly answer: (arrived: Arrived<Provider>) => RouteAnswer | Promise<RouteAnswer>;
}

/** The routes of a method. Requests of one address take turns, because answers of providers are counted. */
export function providerRoutes<Provider>(
  { providers, host }: Surroundings<Provider>,
  routes: readonly ProviderRoute<Provider>[],
): readonly AuthRoute[] {
  const turns = new NetworkTurns();
  return routes.map(({ idIn, answer, ...route }) => ({
    ...route,
    from: "any-site",
    handle(request) {
      const provider = providers.get(idIn(request) ?? "");
      if (!provider) return unknownProvider();
      return turns.take(request.client.network, async () => await answer({ request, provider, host }));
    },
  }));
}

/** The id in the address where logins begin. */
export function idInQuery({ query }: RouteRequest): string | null {
  return query.get("idp_id");
}

/** The answer when the address names no enabled provider. */
export function unknownProvider(): RouteAnswer {
  return { kind: "refused", code: "not-found", message: "There is no such identity provider" };
}

/** The answer to a request that no provider would cause. */
export function badRequest(message: string): RouteAnswer {
  return { kind: "refused", code: "bad-request", message };
}

/** The answer while a provider is unreachable. */
export function unreachable(
  { settings: { name } }: Pick<IdentityProvider, "settings">,
  next: string,
): Extract<RouteAnswer, { kind: "refused" }> {
  return { kind: "refused", code: "unavailable", message: new Unreachable().messageFor(name), next };
}

/** Reads a message with the cached keys of its provider, and with renewed ones if none of them fits. */
export async function readWithKeys<Keys, Result>(
  { keys, renew }: { readonly keys: Keys; readonly renew: () => Promise<Keys | undefined> },
  read: (keys: Keys) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read(keys);
  } catch (error) {
    const renewed = error instanceof OtherKey ? await renew() : undefined;
    if (!renewed) throw error;
    return await read(renewed);
  }
}
