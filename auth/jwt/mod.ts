/**
 * OpenID Connect: ID tokens in requests, and logins of browsers at identity providers.
 *
 * @module
 */

import type { AuthPlugin, RouteRequest } from "@/plugins/contract.ts";
import { atProvider, openProviders } from "@/plugins/kit/identity_providers.ts";
import { authenticate, PROVIDER_HEADER } from "./bearer.ts";
import { BEGIN, begin } from "./begin_login.ts";
import { CALLBACK, finishLogin, takeForm } from "./finish_login.ts";
import { Provider } from "./provider.ts";
import { readProviders } from "./provider_settings.ts";

export default {
  contract: 1,
  kind: "auth",
  name: "jwt",
  keys: ["identity_providers"],
  async setup(section, host) {
    const { providers, described, method } = await openProviders(
      readProviders(section["identity_providers"], host),
      { host, begin: BEGIN, open: (settings, signal) => new Provider(settings, host, signal) },
    );
    const surroundings = { providers, host };
    const handle = {
      begin: atProvider(surroundings, ({ query }) => query.get("idp_id"), begin),
      finish: atProvider(surroundings, onlyId, finishLogin),
      takeForm: atProvider(surroundings, onlyId, takeForm),
    };
    return {
      ...method,
      opensSession: true,
      clientSettings: { provider_header: PROVIDER_HEADER, identity_providers: described },
      ...SECURITY,
      authenticate: (request) => authenticate(request, providers, host),
      routes: [
        { method: "GET", path: BEGIN, from: "any-site", handle: handle.begin },
        { method: "GET", path: CALLBACK, from: "any-site", handle: handle.finish },
        { method: "POST", path: CALLBACK, from: "any-site", handle: handle.takeForm },
      ],
    };
  },
} satisfies AuthPlugin;

/** An answer must name its provider exactly once. */
function onlyId({ query }: RouteRequest): string | undefined {
  const ids = query.getAll("idp_id");
  return ids.length === 1 ? ids[0] : undefined;
}

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
