/**
 * The service with identity providers that tests answer for.
 *
 * @module
 */

import { shared, type StartOptions, startService, type TestService } from "@/tests/support/service.ts";
import type { Identity } from "./certificate.ts";

/** The key of Bert. Browsers have his session before a login fails. */
export const BERTS_KEY = "bert-0123456789abcdef0123456789abcdef";

/** Users of these tests; `twin1` and `twin2` cannot be told apart by their address. */
export const USERS = `public: {email: public@example.com, databases: {Demo: {access: {"*": [read]}}}}
anna: {email: anna@example.com, name: Anna, databases: {Demo: {}}}
bert: {email: bert@example.com, apikey: ${BERTS_KEY}, databases: {Demo: {}}}
twin1: {email: twin@example.com, databases: {Demo: {}}}
twin2: {email: twin@example.com, databases: {Demo: {}}}
staff: {email: acme.com, databases: {Demo: {}}}
admin: {}
`;

/** Entity id of the provider with this id. */
export const issuerOf = (id: string): string => `https://${id}.idp.example/metadata`;

/** Where the provider with this id receives requests, and where it receives those that end sessions. */
export const signOnOf = (id: string): string => `https://${id}.idp.example/sso`;
/** The address of a provider's logout. */
export const signOffOf = (id: string): string => `https://${id}.idp.example/slo`;

/** A block of the policy file. */
export type Block = Readonly<Record<string, unknown>>;

/** `settings.security` as the specification has it in its sample. */
export const SAMPLE_SECURITY: Block = {
  nameIdEncrypted: false,
  authnRequestsSigned: false,
  logoutRequestSigned: false,
  logoutResponseSigned: false,
  signMetadata: false,
  wantMessagesSigned: false,
  wantAssertionsSigned: false,
  wantNameId: true,
  wantNameIdEncrypted: false,
  wantAssertionsEncrypted: false,
  wantAttributeStatement: false,
  allowSingleLabelDomains: false,
  rejectDeprecatedAlgorithm: true,
  signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
};

/** A test's changes of a provider's block. */
export interface BlockOptions {
  readonly key: Pick<Identity, "certificate">;
  readonly sp?: Block;
  readonly idp?: Block;
  readonly security?: Block;
  readonly extra?: Block;
  /** Keys beside `settings`. */
  readonly block?: Block;
}

/** The entity id of the service for the provider with this id. */
export const audienceOf = (origin: string, id: string): string => `${origin}/saml/${id}`;

/** Where the provider with this id sends its answers. */
export const acsOf = (origin: string, id: string): string => `${origin}/sso/callback/saml/${id}`;

/** The block of a provider: the specification's sample, with the endpoints of {@link signOnOf}. */
export function blockOf(origin: string, id: string, { key, ...changes }: BlockOptions): Block {
  return {
    idp_name: `Provider ${id}`,
    enabled: true,
    saml_auth_attribute: "NameID",
    user_config_attribute: "email",
    settings: {
      sp: {
        entityId: audienceOf(origin, id),
        assertionConsumerService: { url: acsOf(origin, id) },
        ...changes.sp,
      },
      idp: {
        entityId: issuerOf(id),
        singleSignOnService: { url: signOnOf(id) },
        x509cert: key.certificate,
        ...changes.idp,
      },
      ...(changes.extra ? { extra_request_options: changes.extra } : {}),
      ...(changes.security ? { security: changes.security } : {}),
    },
    ...changes.block,
  };
}

/** A service that knows some providers. */
export interface SamlService extends TestService {
  /** The public address with which its own URLs begin. */
  readonly origin: string;
}

/** How the service differs from one without providers. */
export interface SamlOptions {
  /** Blocks by the providers' ids. */
  readonly providers: (origin: string) => Readonly<Record<string, unknown>>;
  /** The text of users.cfg; absent: {@link USERS}. */
  readonly users?: string;
  /** Lines of service.ini. */
  readonly ini?: readonly string[];
  readonly args?: readonly string[];
  /** Further files below the home directory. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * For browsers that have to reach it; absent: any port, and the service is
   * `http://service.example` for others.
   */
  readonly port?: number;
  /** Absent: in the process of the tests. */
  readonly start?: (options: StartOptions) => Promise<TestService>;
  /** Members of the block `saml` beside the providers. */
  readonly policy?: Block;
}

/** Starts it. The policy file is JSON, which is YAML. */
export async function startSaml(options: SamlOptions): Promise<SamlService> {
  const { port, start = startService } = options;
  const origin = port === undefined ? "http://service.example" : `http://127.0.0.1:${port}`;
  const service = await start({
    files: {
      "config/auth.cfg": authFor(origin, options),
      "config/users.cfg": options.users ?? USERS,
      "config/service.ini": ["[service]", ...usual(options.ini ?? []), ...options.ini ?? [], ""].join("\n"),
      ...options.files,
    },
    isAdministered: true,
    args: [...port === undefined ? ["--base-url", origin] : ["--port", String(port)], ...options.args ?? []],
  });
  return { ...service, origin };
}

/** A throttle without waits, unless a test sets one. */
function usual(ini: readonly string[]): readonly string[] {
  return ini.some((line) => line.startsWith("login_throttle.burst")) ? [] : ["login_throttle.burst = 1000"];
}

/** Starts one service for all tests of a file. Returns a function for use inside tests. */
export function sharedSaml(options: SamlOptions): () => SamlService {
  return shared(() => startSaml(options));
}

function authFor(origin: string, { providers, policy }: SamlOptions): string {
  const saml = { enabled: true, priority: 1, identity_providers: providers(origin), ...policy };
  return JSON.stringify(
    {
      authentication_policies: {
        saml,
        apikey: { enabled: true, priority: 2 },
        login_form: { enabled: true, priority: 3 },
        cookie: { enabled: true, priority: 4 },
      },
    },
    null,
    2,
  );
}
