/**
 * What methods with identity providers have in common: which of them can be used, how login pages show them, and when what
 * they say of themselves is read.
 *
 * @module
 */

import { CHOOSE } from "./begin_login.ts";

/** The attributes of users that a provider may name people by. */
export const MATCH_ATTRIBUTES = ["login", "name", "email", "appid"] as const;

/** One identity provider. */
export interface IdentityProvider {
  readonly settings: { readonly id: string; readonly name: string; readonly visible: boolean };
  /** Whether something of it could not be read the last time. */
  readonly isFailing: boolean;
  /** Reads everything unless it is there. What fails is in the log, and is tried again later. */
  warmUp(): Promise<void>;
}

/** A provider with what is wrong in its configuration: keys below its block, and sentences. */
export interface OpenedProvider<Provider> {
  readonly provider: Provider;
  readonly mistakes: readonly (readonly [key: string, message: string])[];
}

/** Those without a mistake, by their id. The others are complained of, in the order of the file. */
export function usableProviders<Provider extends IdentityProvider>(
  opened: readonly OpenedProvider<Provider>[],
  host: { complain(key: string, message: string): void },
): ReadonlyMap<string, Provider> {
  const usable = new Map<string, Provider>();
  for (const { provider, mistakes } of opened) {
    const { id } = provider.settings;
    for (const [key, message] of mistakes) host.complain(`identity_providers.${id}.${key}`, message);
    if (mistakes.length === 0) usable.set(id, provider);
  }
  return usable;
}

/** The providers that people may see. */
export function visibleOf<Provider extends IdentityProvider>(
  providers: ReadonlyMap<string, Provider>,
): readonly Provider[] {
  return [...providers.values()].filter(({ settings }) => settings.visible);
}

/** What clients are told of providers, by their id. */
export function describeProviders(
  visible: readonly IdentityProvider[],
): Readonly<Record<string, { readonly idp_name: string }>> {
  return Object.fromEntries(visible.map(({ settings: { id, name } }) => [id, { idp_name: name }]));
}

/** A button for each provider on the login page; `begin` is the path where logins begin. After a failure people choose. */
export function providerButtons(
  visible: readonly IdentityProvider[],
  { begin, next, afterFailure = false }: {
    readonly begin: string;
    readonly next: string;
    readonly afterFailure?: boolean;
  },
): readonly { readonly label: string; readonly href: string }[] {
  return visible.map(({ settings: { id, name } }) => {
    const query = new URLSearchParams({ idp_id: id, next, ...(afterFailure ? { [CHOOSE]: "true" } : {}) });
    return { label: `Log in with ${name}`, href: `${begin}?${query}` };
  });
}

/** What the login page says of providers that fail. Whoever looks makes it be tried again. */
export function providerNotices(visible: readonly IdentityProvider[]): readonly string[] {
  const failing = visible.filter(({ isFailing }) => isFailing);
  for (const provider of failing) void provider.warmUp();
  return failing.map(({ settings: { name } }) =>
    `${name} cannot be reached at the moment: logging in there may fail`
  );
}

/** Reads what providers say of themselves, without keeping anybody waiting; the controller ends it. */
export function warmUpProviders(
  providers: ReadonlyMap<string, IdentityProvider>,
  controller: AbortController,
): AsyncDisposable {
  const begun = [...providers.values()].map((provider) => provider.warmUp());
  return {
    async [Symbol.asyncDispose]() {
      controller.abort(new Error("The service ends"));
      await Promise.all(begun);
    },
  };
}
