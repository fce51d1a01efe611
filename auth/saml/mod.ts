/**
 * SAML 2.0: logins of browsers at identity providers, and logging out there.
 *
 * @module
 */

import type { AuthHost, AuthPlugin, AuthRoute, Button, LoginPage } from "@/plugins/contract.ts";
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

/** Most bytes of a form with a message: base64 makes it a third longer, and encoding it for a form a little more. */
const MAX_FORM = 524_288;

export default {
  contract: 1,
  kind: "auth",
  name: "saml",
  keys: ["identity_providers"],
  async setup(section, host) {
    const controller = new AbortController();
    const schemas = await openSchemas();
    const setting = { host, schemas, signal: controller.signal };
    const providers = await openProviders(readProviders(section["identity_providers"], host), setting);
    const visible = [...providers.values()].filter(({ settings }) => settings.visible);
    const surroundings = { providers, schemas, host };
    return {
      clientSettings: {
        identity_providers: Object.fromEntries(
          visible.map(({ settings: { id, name } }) => [id, { idp_name: name }]),
        ),
      },
      authenticate: () => ({ outcome: "absent" }),
      routes: routesFor(surroundings),
      buttons: (page) => visible.map((provider) => describeButton(provider, page, host)),
      notices: () => noticesOf(visible),
      afterLogout: (session) => afterLogout(session, surroundings),
      start: () => start([...providers.values()], controller),
    };
  },
} satisfies AuthPlugin;

/** What providers are opened with. */
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
      from: "same-site",
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

/** Those that can be used, by their id. */
async function openProviders(
  configured: readonly ProviderSettings[],
  opening: Opening,
): Promise<ReadonlyMap<string, Provider>> {
  const opened = await Promise.all(configured.map(async (settings) => {
    const mistakes: [key: string, message: string][] = [];
    const provider = new Provider(settings, {
      ...opening,
      metadataSigner: await signerOf(settings, opening, mistakes),
    });
    const complaint = await provider.checkFile();
    if (complaint !== undefined) mistakes.push(["settings.idp.metadata", complaint]);
    for (const [key, message] of mistakes) {
      opening.host.complain(`identity_providers.${settings.id}.${key}`, message);
    }
    return mistakes.length === 0 ? [[settings.id, provider] as const] : [];
  }));
  return new Map(opened.flat());
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
  for (const provider of failing) void provider.peer();
  return failing.map(({ settings: { name } }) =>
    `${name} cannot be reached at the moment: logging in there may fail`
  );
}

/** Reads what providers say of themselves, without keeping anybody waiting. */
function start(providers: readonly Provider[], controller: AbortController): AsyncDisposable {
  const begun = providers.map((provider) => provider.peer());
  return {
    async [Symbol.asyncDispose]() {
      controller.abort(new Error("The service ends"));
      await Promise.all(begun);
    },
  };
}
