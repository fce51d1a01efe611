/**
 * The common parts of methods with identity providers: usable providers, their buttons and notices, when their documents
 * are read, and the rules for the beginning and the end of logins.
 *
 * @module
 */

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

/** The parameter that asks the provider to let the user choose an account, because the last one did not match. */
export const CHOOSE = "choose";

/** Whether the user wants to choose an account. */
export function choosesAccount(query: URLSearchParams): boolean {
  return query.get(CHOOSE) === "true";
}

/**
 * True if the browser has a session and the request comes from a page of another site, such as a portal: other sites must
 * not end or replace a session.
 */
export async function isNeedless<Request extends { readonly headers: Headers }>(
  request: Request,
  { sessions }: {
    readonly sessions: { resume(request: Request): Promise<{ readonly session?: unknown }> };
  },
): Promise<boolean> {
  const site = request.headers.get("sec-fetch-site");
  if (site !== "cross-site" && site !== "same-site") return false;
  return (await sessions.resume(request)).session !== undefined;
}

/** The browser has not begun a login here, or the login has expired. */
export class LostLogin extends Error {
  constructor() {
    super("a login that this browser has not begun");
    this.name = "LostLogin";
  }

  /** The message for the user. */
  messageFor(provider: string): string {
    return `The login at ${provider} has expired, or was not begun in this browser: try again`;
  }
}

/** The message for the user about an invalid answer: operators find the reason by the request's id. */
export function invalidAnswer(provider: string, requestId: string): string {
  return `The answer of ${provider} is not valid (request ${requestId}): try again, or tell the administrator`;
}

/** The browser has begun another login since, in another tab or at another provider, and that one continues. */
export class OvertakenLogin extends Error {
  constructor() {
    super("an answer to another login");
    this.name = "OvertakenLogin";
  }

  /** The message for the user. */
  messageFor(provider: string): string {
    return `The login at ${provider} was given up for one that was begun later`;
  }
}

/**
 * A link on another site must not be able to log users out: only answers to logins that this browser has begun do.
 * Without TLS, browsers do not send the site of a link.
 */
export function mayEndSession(headers: Headers, hasBegun: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  return hasBegun || site === "same-origin" || site === "none";
}
