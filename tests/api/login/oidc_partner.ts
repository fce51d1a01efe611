/**
 * An identity provider of another code base, the certified oidc-provider, in the process of the test. Its
 * logins ask no questions, but go through all redirects.
 *
 * @module
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "@/tests/support/packages/oidc_provider.ts";

/** A provider on a free loopback port, with a client for codes and one for tokens. */
export interface Partner extends AsyncDisposable {
  readonly url: string;
  /** The e-mail address of the next logins; undefined cancels the login. */
  account: string | undefined;
}

/** The clients' ids, by their response type. */
export const CLIENTS = { code: "rowhouse-code", id_token: "rowhouse-token" } as const;

/** `origin` is where the service is reached, `host` the name of this machine that the provider goes by. */
export async function startPartner(origin: string, host = "127.0.0.1"): Promise<Partner> {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response)).listen(
    0,
    "127.0.0.1",
    resolve,
  );
  await listening;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The provider has no port");
  const url = `http://${host}:${address.port}`;
  const partner: Partner = {
    url,
    account: "anna@example.com",
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      server.close(() => close());
      server.closeAllConnections();
      await closed;
    },
  };
  const provider = await makeProvider(url, origin);
  const answer = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith("/interaction/")) void logIn(provider, partner, request, response);
    else void answer(request, response);
  };
  return partner;
}

async function makeProvider(url: string, origin: string): Promise<Provider> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...await exportJWK(privateKey), alg: "RS256", use: "sig", kid: "partner" };
  const callback = (id: string) => [`${origin}/login/callback?idp_id=${id}`];
  return new Provider(url, {
    jwks: { keys: [jwk] },
    cookies: { keys: ["a secret of tests"] },
    responseTypes: ["code", "id_token"],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    features: { devInteractions: { enabled: false } },
    clientBasedCORS: () => false,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true }),
    }),
    clients: [
      {
        client_id: CLIENTS.code,
        redirect_uris: callback("codes"),
        post_logout_redirect_uris: [`${origin}/db`],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none",
        application_type: "native",
      },
      {
        client_id: CLIENTS.id_token,
        redirect_uris: [...callback("forms"), ...callback("fragments")],
        response_types: ["id_token"],
        grant_types: ["implicit"],
        token_endpoint_auth_method: "none",
        application_type: "native",
      },
    ],
  });
}

/** Acts like a page for logging in and consenting. */
async function logIn(
  provider: Provider,
  { account }: Partner,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (account === undefined) {
    return await provider.interactionFinished(request, response, { error: "access_denied" });
  }
  if (prompt.name === "login") {
    return await provider.interactionFinished(request, response, { login: { accountId: account } });
  }
  const grant = new provider.Grant({
    accountId: session?.accountId ?? account,
    clientId: String(params["client_id"]),
  });
  grant.addOIDCScope("openid email");
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, { consent: { grantId } });
}
