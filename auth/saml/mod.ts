/**
 * SAML 2.0: logins of browsers at identity providers, and logging out there.
 *
 * @module
 */

import type { AuthPlugin, RouteRequest } from "@/plugins/contract.ts";
import { atProvider, openProviders } from "@/plugins/kit/identity_providers.ts";
import { BEGIN, begin } from "./begin_login.ts";
import { finishLogin, takeResponse } from "./finish_login.ts";
import { METADATA, showMetadata } from "./own_metadata.ts";
import { Provider } from "./provider.ts";
import { afterLogout } from "./provider_session.ts";
import { openSchemas } from "./schema.ts";
import { ACS_PATH, LOGOUT_PATH, readProviders } from "./settings.ts";
import { takeLogoutForm, takeLogoutQuery } from "./take_logout.ts";

/** Largest form with a message, in bytes: base64 makes it a third longer, and the encoding of forms a little more. */
const MAX_FORM = { maxBody: 524_288 };

export default {
  contract: 1,
  kind: "auth",
  name: "saml",
  keys: ["identity_providers"],
  async setup(section, host) {
    const schemas = await openSchemas();
    const { providers, described, method } = await openProviders(
      readProviders(section["identity_providers"], host),
      { host, begin: BEGIN, open: (settings, signal) => new Provider(settings, { host, schemas, signal }) },
    );
    const surroundings = { providers, host };
    const handle = {
      begin: atProvider(surroundings, ({ query }) => query.get("idp_id"), begin),
      takeResponse: atProvider(surroundings, idOf, takeResponse),
      finish: atProvider(surroundings, idOf, finishLogin),
      takeLogoutQuery: atProvider(surroundings, idOf, takeLogoutQuery),
      takeLogoutForm: atProvider(surroundings, idOf, takeLogoutForm),
      showMetadata: atProvider(surroundings, idOfFile, showMetadata),
    };
    const [callback, logout] = [`${ACS_PATH}{idp_id}`, `${LOGOUT_PATH}{idp_id}`];
    return {
      ...method,
      clientSettings: { identity_providers: described },
      authenticate: () => ({ outcome: "absent" }),
      routes: [
        { method: "GET", path: BEGIN, from: "any-site", handle: handle.begin },
        { method: "POST", path: callback, from: "any-site", handle: handle.takeResponse, ...MAX_FORM },
        { method: "GET", path: callback, from: "any-site", handle: handle.finish },
        { method: "GET", path: logout, from: "any-site", handle: handle.takeLogoutQuery },
        { method: "POST", path: logout, from: "any-site", handle: handle.takeLogoutForm, ...MAX_FORM },
        { method: "GET", path: METADATA, from: "any-site", handle: handle.showMetadata },
      ],
      afterLogout: (session) => afterLogout(session, surroundings),
    };
  },
} satisfies AuthPlugin;

function idOf({ parameters }: RouteRequest): string | undefined {
  return parameters.get("idp_id");
}

function idOfFile({ parameters }: RouteRequest): string | undefined {
  return /^(.+)\.xml$/.exec(parameters.get("file") ?? "")?.[1];
}
