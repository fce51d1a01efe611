/**
 * OpenID Connect: ID tokens in requests, and logins of browsers at identity providers.
 *
 * @module
 */

import type { AuthHost, AuthPlugin } from "@/plugins/contract.ts";
import {
  describeProviders,
  providerButtons,
  providerNotices,
  usableProviders,
  visibleOf,
  warmUpProviders,
} from "@/plugins/kit/identity_providers.ts";
import { authenticate, PROVIDER_HEADER } from "./bearer.ts";
import { BEGIN, beginLogin } from "./begin_login.ts";
import { finishLogin } from "./finish_login.ts";
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
    const visible = visibleOf(providers);
    const surroundings = { providers, host };
    return {
      opensSession: true,
      clientSettings: {
        provider_header: PROVIDER_HEADER,
        identity_providers: describeProviders(visible),
      },
      ...SECURITY,
      authenticate: (request) => authenticate(request, providers, host),
      routes: [
        {
          method: "GET",
          path: BEGIN,
          from: "any-site",
          handle: (request) => beginLogin(request, surroundings),
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
      buttons: (page) => providerButtons(visible, { begin: `${host.prefix}${BEGIN}`, ...page }),
      notices: () => providerNotices(visible),
      start: () => warmUpProviders(providers, controller),
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

async function openProviders(
  configured: unknown,
  host: AuthHost,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Provider>> {
  const opened = await Promise.all(
    readProviders(configured, host).map(async (settings) => {
      const provider = new Provider(settings, host, signal);
      return { provider, mistakes: await provider.checkFiles() };
    }),
  );
  return usableProviders(opened, host);
}
