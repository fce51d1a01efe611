/**
 * SAML 2.0: logins of browsers at identity providers, and logging out there.
 *
 * @module
 */

import type { AuthPlugin, RouteRequest } from "@/plugins/contract.ts";
import { idInQuery, openProviders, providerRoutes } from "@/plugins/kit/providers/identity_providers.ts";
import { BEGIN, begin } from "./begin_login.ts";
import { finishLogin, takeResponse } from "./finish_login.ts";
import { METADATA, showMetadata } from "./own_metadata.ts";
import { Provider } from "./provider.ts";
import { afterLogout } from "./provider_session.ts";
import { openSchemas } from "./schema.ts";
import { ACS_PATH, LOGOUT_PATH, readProviders } from "./settings.ts";
import { takeLogoutForm, takeLogoutQuery } from "./take_logout.ts";

/**
 * Largest form with a message, in bytes: base64 makes it a third longer, and the
 * encoding of forms a little more.
 */
const MAX_FORM = 524_288;

export default {
  contract: 2,
  kind: "auth",
  name: "saml",
  settings: {
    identity_providers: {
      type: "mapping",
      sentence: "The SAML identity providers by their ids, see [single sign-on](single-sign-on.md).",
    },
  },
  async setup(section, host) {
    const schemas = await openSchemas();
    const { providers, described, method } = await openProviders(
      readProviders(section["identity_providers"], host),
      { host, begin: BEGIN, open: (settings, signal) => new Provider(settings, { host, schemas, signal }) },
    );
    const surroundings = { providers, host };
    const [callback, logout] = [`${ACS_PATH}{idp_id}`, `${LOGOUT_PATH}{idp_id}`];
    return {
      ...method,
      clientSettings: { identity_providers: described() },
      authenticate: () => ({ outcome: "absent" }),
      routes: providerRoutes(surroundings, [
        { method: "GET", path: BEGIN, idIn: idInQuery, answer: begin },
        { method: "POST", path: callback, idIn: idInPath, answer: takeResponse, maxBody: MAX_FORM },
        { method: "GET", path: callback, idIn: idInPath, answer: finishLogin },
        { method: "GET", path: logout, idIn: idInPath, answer: takeLogoutQuery },
        { method: "POST", path: logout, idIn: idInPath, answer: takeLogoutForm, maxBody: MAX_FORM },
        { method: "GET", path: METADATA, idIn: idInFile, answer: showMetadata },
      ]),
      afterLogout: (session) => afterLogout(session, surroundings),
    };
  },
} satisfies AuthPlugin;

function idInPath({ parameters }: RouteRequest): string | undefined {
  return parameters.get("idp_id");
}

function idInFile({ parameters }: RouteRequest): string | undefined {
  return /^(.+)\.xml$/.exec(parameters.get("file") ?? "")?.[1];
}
