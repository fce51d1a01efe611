/**
 * SAML 2.0: logins of browsers at identity providers, and logging out there.
 *
 * @module
 */

import type { AuthHost, AuthPlugin, AuthRoute } from "@/plugins/contract.ts";
import {
  describeProviders,
  type OpenedProvider,
  providerButtons,
  providerNotices,
  usableProviders,
  visibleOf,
  warmUpProviders,
} from "@/plugins/kit/identity_providers.ts";
import { BEGIN, beginLogin } from "./begin_login.ts";
import { afterLogout } from "./begin_logout.ts";
import { finishLogin } from "./finish_login.ts";
import { METADATA, readMetadataSigner, showMetadata } from "./own_metadata.ts";
import { Provider } from "./provider.ts";
import { openSchemas, type Schemas } from "./schema.ts";
import { ACS_PATH, LOGOUT_PATH, type ProviderSettings, readProviders } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";
import { takeLogoutForm, takeLogoutQuery } from "./take_logout.ts";
import { takeResponse } from "./take_response.ts";

/** Largest form with a message, in bytes: base64 makes it a third longer, and the encoding of forms a little more. */
const MAX_FORM = 524_288;

export default {
  contract: 1,
  kind: "auth",
  name: "saml",
  keys: ["identity_providers"],
  async setup(section, host) {
    const controller = new AbortController();
    const schemas = await openSchemas();
    const opening = { host, schemas, signal: controller.signal };
    const configured = readProviders(section["identity_providers"], host);
    const opened = await Promise.all(configured.map((settings) => openProvider(settings, opening)));
    const providers = usableProviders(opened, host);
    const visible = visibleOf(providers);
    const surroundings = { providers, schemas, host };
    return {
      clientSettings: { identity_providers: describeProviders(visible) },
      authenticate: () => ({ outcome: "absent" }),
      routes: routesFor(surroundings),
      buttons: (page) => providerButtons(visible, { begin: `${host.prefix}${BEGIN}`, ...page }),
      notices: () => providerNotices(visible),
      afterLogout: (session) => afterLogout(session, surroundings),
      start: () => warmUpProviders(providers, controller),
    };
  },
} satisfies AuthPlugin;

/** The context of opening providers. */
interface Opening {
  readonly host: AuthHost;
  readonly schemas: Schemas;
  readonly signal: AbortSignal;
}

function routesFor(surroundings: Surroundings): readonly AuthRoute[] {
  const [callback, logout] = [`${ACS_PATH}{idp_id}`, `${LOGOUT_PATH}{idp_id}`];
  return [
    {
      method: "GET",
      path: BEGIN,
      from: "any-site",
      handle: (request) => beginLogin(request, surroundings),
    },
    {
      method: "POST",
      path: callback,
      from: "any-site",
      maxBody: MAX_FORM,
      handle: (request) => takeResponse(request, surroundings),
    },
    {
      method: "GET",
      path: callback,
      from: "any-site",
      handle: (request) => finishLogin(request, surroundings),
    },
    {
      method: "GET",
      path: logout,
      from: "any-site",
      handle: (request) => takeLogoutQuery(request, surroundings),
    },
    {
      method: "POST",
      path: logout,
      from: "any-site",
      maxBody: MAX_FORM,
      handle: (request) => takeLogoutForm(request, surroundings),
    },
    {
      method: "GET",
      path: METADATA,
      from: "any-site",
      handle: (request) => showMetadata(request, surroundings),
    },
  ];
}

async function openProvider(
  settings: ProviderSettings,
  opening: Opening,
): Promise<OpenedProvider<Provider>> {
  const mistakes: [key: string, message: string][] = [];
  const metadataSigner = await signerOf(settings, opening, mistakes);
  const provider = new Provider(settings, { ...opening, metadataSigner });
  const complaint = await provider.checkFile();
  if (complaint !== undefined) mistakes.push(["settings.idp.metadata", complaint]);
  return { provider, mistakes };
}

async function signerOf(
  settings: ProviderSettings,
  { host }: Opening,
  mistakes: [key: string, message: string][],
): Promise<Awaited<ReturnType<typeof readMetadataSigner>> | undefined> {
  const { signMetadata } = settings.security;
  if (typeof signMetadata === "boolean") return undefined;
  try {
    return await readMetadataSigner(signMetadata, settings, host);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    mistakes.push(["settings.security.signMetadata", error.message]);
    return undefined;
  }
}
