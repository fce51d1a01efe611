/**
 * OpenID Connect: ID tokens in requests, logins of browsers at identity providers, and logging out there.
 *
 * @module
 */

import type { AuthPlugin, RouteRequest } from "@/plugins/contract.ts";
import { idInQuery, openProviders, providerRoutes } from "@/plugins/kit/providers/identity_providers.ts";
import { authenticate, PROVIDER_HEADER } from "./bearer.ts";
import { BEGIN, begin } from "./begin_login.ts";
import { finishLogin, takeForm } from "./finish_login.ts";
import { Provider } from "./provider.ts";
import { afterLogout } from "./provider_session.ts";
import { CALLBACK, readProviders } from "./provider_settings.ts";

export default {
  contract: 2,
  kind: "auth",
  name: "jwt",
  settings: {
    identity_providers: {
      type: "mapping",
      sentence: "The OpenID providers by their ids, see [single sign-on](single-sign-on.md).",
    },
  },
  async setup(section, host) {
    const { providers, described, method } = await openProviders(
      readProviders(section["identity_providers"], host),
      { host, begin: BEGIN, open: (settings, signal) => new Provider(settings, host, signal) },
    );
    return {
      ...method,
      opensSession: true,
      get clientSettings() {
        return { provider_header: PROVIDER_HEADER, identity_providers: described() };
      },
      ...SECURITY,
      authenticate: (request) => authenticate(request, providers, host),
      routes: providerRoutes({ providers, host }, [
        { method: "GET", path: BEGIN, idIn: idInQuery, answer: begin },
        { method: "GET", path: CALLBACK, idIn: onlyId, answer: finishLogin },
        { method: "POST", path: CALLBACK, idIn: onlyId, answer: takeForm },
      ]),
      afterLogout: (session) => afterLogout(session, { providers }),
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
