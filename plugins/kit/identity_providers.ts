/**
 * The common parts of methods with identity providers: usable providers, their buttons and notices, and when their
 * documents are read.
 *
 * @module
 */

import { CHOOSE } from "./begin_login.ts";

/** The attributes of users that a provider can identify users by. */
export const MATCH_ATTRIBUTES = ["login", "name", "email", "appid"] as const;

/** One identity provider. */
export interface IdentityProvider {
  readonly settings: { readonly id: string; readonly name: string; readonly visible: boolean };
  /** Whether the last attempt to read one of its documents failed. */
  readonly isFailing: boolean;
  /** Reads all documents that are not cached. Failures are logged and retried later. */
  warmUp(): Promise<void>;
}

/** A provider with the mistakes in its configuration: keys below its block, and sentences. */
export interface OpenedProvider<Provider> {
  readonly provider: Provider;
  readonly mistakes: readonly (readonly [key: string, message: string])[];
}

/** The providers without a mistake, by their id. Mistakes of the others become complaints, in the order of the file. */
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

/** The providers with a button. */
export function visibleOf<Provider extends IdentityProvider>(
  providers: ReadonlyMap<string, Provider>,
): readonly Provider[] {
  return [...providers.values()].filter(({ settings }) => settings.visible);
}

/** The public facts about providers, by their id. */
export function describeProviders(
  visible: readonly IdentityProvider[],
): Readonly<Record<string, { readonly idp_name: string }>> {
  return Object.fromEntries(visible.map(({ settings: { id, name } }) => [id, { idp_name: name }]));
}

/**
 * A button for each provider on the login page; `begin` is the path where logins begin. After a failure the user chooses
 * an account.
 */
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

/** The login page's sentences about failing providers. Showing the page retries them. */
export function providerNotices(visible: readonly IdentityProvider[]): readonly string[] {
  const failing = visible.filter(({ isFailing }) => isFailing);
  for (const provider of failing) void provider.warmUp();
  return failing.map(({ settings: { name } }) =>
    `${name} cannot be reached at the moment: logging in there may fail`
  );
}

/** Reads the providers' documents in the background; the controller ends it. */
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
