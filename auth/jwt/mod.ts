/**
 * OpenID Connect: ID tokens with requests, and logins of browsers at identity providers.
 *
 * @module
 */

import type { AuthHost, AuthPlugin, Button, LoginPage } from "@/plugins/contract.ts";
import { authenticate, PROVIDER_HEADER } from "./bearer.ts";
import { BEGIN, beginLogin } from "./begin_login.ts";
import { finishLogin } from "./callback.ts";
import { CALLBACK, takeForm } from "./form_answer.ts";
import { Provider } from "./provider.ts";
import { readProviders } from "./provider_settings.ts";

export default {
  contract: 1,
  kind: "auth",
  name: "jwt",
  keys: ["identity_providers"],
  async setup(section, host) {
    const controller = new AbortController();
    const providers = await openProviders(section["identity_providers"], host, controller.signal);
    const visible = [...providers.values()].filter(({ settings }) => settings.visible);
    const surroundings = { providers, host };
    return {
      opensSession: true,
      clientSettings: {
        provider_header: PROVIDER_HEADER,
        identity_providers: Object.fromEntries(
          visible.map(({ settings: { id, name } }) => [id, { idp_name: name }]),
        ),
      },
      ...SECURITY,
      authenticate: (request) => authenticate(request, providers, host),
      routes: [
        {
          method: "GET",
          path: BEGIN,
          from: "same-site",
          handle: (request) => beginLogin(request, providers, host),
        },
        {
          method: "GET",
          path: CALLBACK,
          from: "any-site",
          handle: (request) => finishLogin(request, surroundings),
        },
        {
          method: "POST",
          path: CALLBACK,
          from: "any-site",
          handle: (request) => takeForm(request, surroundings),
        },
      ],
      buttons: (page) => visible.map((provider) => describeButton(provider, page, host)),
      notices: () => noticesOf(visible),
      start: () => start([...providers.values()], controller),
    };
  },
} satisfies AuthPlugin;

const SECURITY = {
  securitySchemes: {
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "An ID token of an identity provider.",
    },
    identity_provider: {
      type: "apiKey",
      in: "header",
      name: PROVIDER_HEADER,
      description: "The id of the identity provider that issued the token.",
    },
  },
  securityRequirements: [["bearer", "identity_provider"]],
};

/** Those that can be used, by their id. */
async function openProviders(
  configured: unknown,
  host: AuthHost,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Provider>> {
  const providers = new Map<string, Provider>();
  for (const settings of readProviders(configured, host)) {
    const provider = new Provider(settings, host, signal);
    const mistakes = await provider.checkFiles();
    for (const [key, message] of mistakes) {
      host.complain(`identity_providers.${settings.id}.${key}`, message);
    }
    if (mistakes.length === 0) providers.set(settings.id, provider);
  }
  return providers;
}

function describeButton(
  { settings: { id, name } }: Provider,
  { next }: LoginPage,
  { prefix }: AuthHost,
): Button {
  const query = new URLSearchParams({ idp_id: id, next });
  return { label: `Log in with ${name}`, href: `${prefix}${BEGIN}?${query}` };
}

/** Whoever looks at them makes what failed be tried again. */
function noticesOf(visible: readonly Provider[]): readonly string[] {
  const failing = visible.filter((provider) => provider.isFailing);
  for (const provider of failing) void provider.warmUp();
  return failing.map(({ settings: { name } }) =>
    `${name} cannot be reached at the moment: logging in there may fail`
  );
}

/** Reads what providers say of themselves, without keeping anybody waiting. */
function start(providers: readonly Provider[], controller: AbortController): AsyncDisposable {
  const begun = providers.map((provider) => provider.warmUp());
  return {
    async [Symbol.asyncDispose]() {
      controller.abort(new Error("The service ends"));
      await Promise.all(begun);
    },
  };
}
