/**
 * The service and an identity provider of another code base, each knowing the other.
 *
 * @module
 */

import { join } from "node:path";
import { freePort } from "@/tests/support/servers/programs.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { homeOf } from "./home.ts";
import { CLIENTS, type Partner, startPartner } from "./oidc_partner.ts";

const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}
anna: {email: anna@example.com, databases: {Demo: {}}}
dora: {email: dora@example.com, databases: {Demo: {}}, enabled: false}
admin: {}
`;

/** Lets the service ask a provider on this machine. */
export const ALLOWED = "sso.allow_private_addresses = True";

/** Three logins at the partner: with codes, with tokens in forms, and with tokens behind #. */
function authFor(partner: string, origin: string): string {
  const wellKnown = `${partner}/.well-known/openid-configuration`;
  const provider = (id: string, type: "code" | "id_token", source: string, isVisible = true) =>
    `      ${id}:
        idp_name: ${id}
        enabled: true
        claim_attribute: email
        user_config_attribute: email
        client_id: ${CLIENTS[type]}
        redirect_uri: ${origin}/login/callback?idp_id=${id}
        post_logout_redirect_uri: ${origin}/db
        response_type: ${type}
        scope: openid email
        well_known_configuration: ${source}
        gui.visible: ${isVisible}
`;
  return `authentication_policies:
  jwt:
    enabled: true
    priority: 1
    identity_providers:
${provider("codes", "code", wellKnown)}${provider("forms", "id_token", wellKnown)}
${provider("fragments", "id_token", "fragments.json", false)}
      broken: {enabled: true}
  login_form: {enabled: true, priority: 2}
  cookie: {enabled: true, priority: 3}
`;
}

/** The two together; disposing ends both. */
export interface Both extends AsyncDisposable {
  readonly partner: Partner;
  readonly service: TestService;
}

/** `host` is the name of this machine that the provider goes by. */
export async function startBoth(
  { ini = [ALLOWED], host }: { readonly ini?: readonly string[]; readonly host?: string } = {},
): Promise<Both> {
  const port = freePort();
  const origin = `http://127.0.0.1:${port}`;
  const partner = await startPartner(origin, host);
  const auth = authFor(partner.url, origin);
  const home = homeOf({ ini, users: USERS, auth, args: ["--port", String(port)] });
  const prepare = async (path: string) => {
    await home.prepare?.(path);
    await writeFragments(path, partner);
  };
  const service = await startService({ ...home, prepare });
  return {
    partner,
    service,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await partner[Symbol.asyncDispose]();
    },
  };
}

/** The provider's metadata without forms, so that it must answer in the fragment. */
async function writeFragments(home: string, { url }: Partner): Promise<void> {
  const answer = await fetch(`${url}/.well-known/openid-configuration`);
  const { response_modes_supported: _, ...metadata } = await answer.json();
  await Deno.writeTextFile(join(home, "config", "fragments.json"), JSON.stringify(metadata));
}
