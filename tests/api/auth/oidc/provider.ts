/**
 * A small identity provider: its metadata, its keys and the tokens that it signs. A
 * test can make each of them wrong.
 *
 * @module
 */

import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

/** A key that tokens are signed with. */
export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

const made = new Map<string, Promise<SigningKey>>();

/** A key that no provider uses; cached by name, because generating one takes long. */
export async function makeKey(alg: string, kid: string): Promise<SigningKey> {
  const name = `${alg} ${kid}`;
  const key = made.get(name) ?? newKey(alg, kid);
  made.set(name, key);
  return await key;
}

/** All providers of a test file share it, so that keys alone do not distinguish them. */
const OWN = await newKey("RS256", "first");

async function newKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicJwk: { ...await exportJWK(publicKey), kid, alg, use: "sig" } };
}

const CLIENT_ID = "rowhouse-test";

/** A running provider. Its answers can be replaced at any time. */
export interface TestProvider extends AsyncDisposable {
  /** `http://127.0.0.1:54321`, which is its issuer. */
  readonly url: string;
  readonly key: SigningKey;
  /** Members of its configuration that are added or replaced. */
  metadata: Record<string, unknown>;
  /** Its published keys. */
  keys: unknown[];
  /** Answers instead of documents. */
  failure: (() => Response | Promise<Response>) | undefined;
  /** Answers to its token endpoint. */
  redeem: ((form: URLSearchParams, headers: Headers) => unknown) | undefined;
  /** Answers of UserInfo. */
  userInfo: ((headers: Headers) => unknown) | undefined;
  /** Number of requests by path. */
  readonly asked: Map<string, number>;
}

/** Starts a provider on a free port. */
export function startProvider(): TestProvider {
  const key = OWN;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => answer(request),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const provider: TestProvider = {
    url,
    key,
    metadata: {},
    keys: [key.publicJwk],
    failure: undefined,
    redeem: undefined,
    userInfo: undefined,
    asked: new Map(),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    provider.asked.set(pathname, (provider.asked.get(pathname) ?? 0) + 1);
    const text = await request.text();
    if (provider.failure) return await provider.failure();
    if (pathname === "/keys") return Response.json({ keys: provider.keys });
    const { headers } = request;
    if (pathname === "/token") {
      return Response.json(await provider.redeem?.(new URLSearchParams(text), headers) ?? {});
    }
    if (pathname === "/userinfo") {
      const info = await provider.userInfo?.(headers) ?? {};
      return info instanceof Response ? info : Response.json(info);
    }
    return Response.json({ ...metadataOf(url), ...provider.metadata });
  }
  return provider;
}

function metadataOf(url: string) {
  return {
    issuer: url,
    jwks_uri: `${url}/keys`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    response_modes_supported: ["query", "fragment", "form_post"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

/** Block of the policy file for a provider. */
export function blockFor(
  provider: Pick<TestProvider, "url">,
  id: string,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    idp_name: id.toUpperCase(),
    enabled: true,
    claim_attribute: "email",
    user_config_attribute: "email",
    client_id: CLIENT_ID,
    redirect_uri: `http://service.example/login/callback?idp_id=${id}`,
    response_type: "code",
    scope: "openid email",
    well_known_configuration: `${provider.url}/.well-known/openid-configuration`,
    ...changes,
  };
}

/** Members of a token, right or wrong. Undefined members are left out. */
export type Claims = Readonly<Record<string, unknown>>;

/** When tokens of tests are issued, in seconds; hosts of tests have this time until a test lets it pass. */
export const NOW = Math.floor(Date.now() / 1000);

/** The claims of a valid token. */
export function claimsOf(provider: Pick<TestProvider, "url">, changes: Claims = {}): Claims {
  return {
    iss: provider.url,
    sub: "anna-at-the-provider",
    aud: CLIENT_ID,
    iat: NOW,
    exp: NOW + 3000,
    email: "anna@example.com",
    email_verified: true,
    ...changes,
  };
}

/** A token, signed by the provider's key unless told otherwise. */
export async function sign(
  provider: TestProvider,
  changes: Claims = {},
  { key = provider.key, header = {} }: {
    readonly key?: SigningKey;
    readonly header?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<string> {
  const claims: JWTPayload = JSON.parse(JSON.stringify(claimsOf(provider, changes)));
  return await new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(
    key.privateKey,
  );
}

/** A token with any header and a forged signature. */
export function forge(
  header: Readonly<Record<string, unknown>>,
  claims: Claims,
  signature: (signed: string) => Uint8Array = () => new Uint8Array(),
): string {
  const part = (value: unknown) => encode(new TextEncoder().encode(JSON.stringify(value)));
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${encode(signature(signed))}`;
}

function encode(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
