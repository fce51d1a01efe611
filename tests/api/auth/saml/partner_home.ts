/**
 * The service and samlp, each knowing the other.
 *
 * @module
 */

import { freePort } from "@/tests/support/servers/programs.ts";
import { shared } from "@/tests/support/service.ts";
import { type Identity, makeIdentity, privateKeyOf } from "./certificate.ts";
import { type Block, type SamlService, startSaml, USERS } from "./home.ts";
import { type Partner, startPartner } from "./partner.ts";

/** Ids of the providers, all of which are samlp. */
export const PROVIDERS: readonly string[] = ["redirect", "post", "sealed", "groups", "old"];

/** Both, running. */
export interface Both extends AsyncDisposable {
  readonly service: SamlService;
  readonly partner: Partner;
  /** The service's key, and an unknown one. */
  readonly own: Identity;
  readonly stranger: Identity;
  /** samlp as it was at first; again when it is disposed of. */
  fresh(): AsyncDisposable;
  /** The last line of the log about a refusal. */
  lastRefusal(): Promise<string>;
}

/** Options for tests with a real browser. */
export interface BothOptions {
  /** The name of this machine that samlp goes by, so that both are different sites. */
  readonly host?: string;
}

/** Starts both. */
async function startBoth({ host }: BothOptions = {}): Promise<Both> {
  const [key, own, stranger] = await Promise.all(
    ["samlp", "service", "stranger"].map((name) => makeIdentity(name)),
  );
  if (!key || !own || !stranger) throw new Error("There are no keys");
  const port = host === undefined ? undefined : freePort();
  const origin = port === undefined ? "http://service.example" : `http://127.0.0.1:${port}`;
  const partner = await startPartner(key, { origin, ...(host === undefined ? {} : { host }) });
  const service = await startSaml({
    ...(port === undefined ? {} : { port }),
    users: `${USERS}crew: {databases: {Demo: {}}}\n`,
    ini: ["sso.allow_private_addresses = True"],
    providers: () => providersOf(origin, partner, own),
  });
  const reset = () => {
    const usual = {
      account: "anna@example.com",
      options: {},
      logoutBinding: "redirect",
      requestCertificate: undefined,
    };
    Object.assign(partner, usual);
    partner.received.length = 0;
    partner.participants.length = 0;
    return Promise.resolve();
  };
  return {
    service,
    partner,
    own,
    stranger,
    fresh: () => {
      void reset();
      return { [Symbol.asyncDispose]: reset };
    },
    lastRefusal: async () =>
      (await service.log()).split("\n").findLast((line) => line.includes("refused")) ?? "",
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await partner[Symbol.asyncDispose]();
    },
  };
}

function providersOf(origin: string, partner: Partner, own: Identity): Readonly<Record<string, Block>> {
  const make = (id: string, { block = {}, idp = {}, security = {} } = {}): Block => ({
    idp_name: id,
    enabled: true,
    saml_auth_attribute: "NameID",
    user_config_attribute: "email",
    settings: {
      sp: {
        entityId: `${origin}/saml/${id}`,
        assertionConsumerService: { url: `${origin}/sso/callback/saml/${id}` },
        x509cert: own.certificate,
        privatekey: privateKeyOf(own),
      },
      idp: { metadata: `${partner.url}/metadata?of=${id}`, ...idp },
      security: { ...SIGNED, ...security },
    },
    ...block,
  });
  const post = { binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" };
  const groups = {
    saml_auth_attribute: "http://schemas.passportjs.com/groups",
    saml_auth_regex: "(crew)",
    user_config_attribute: "login",
  };
  return {
    redirect: make("redirect"),
    post: make("post", { idp: { singleSignOnService: post, singleLogoutService: post } }),
    sealed: make("sealed", { security: { wantAssertionsEncrypted: true } }),
    groups: make("groups", { block: groups }),
    old: make("old", { security: { rejectDeprecatedAlgorithm: false } }),
  };
}

/** samlp knows no other algorithm that is good. */
const SIGNED = {
  authnRequestsSigned: true,
  logoutRequestSigned: true,
  logoutResponseSigned: true,
  signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
};

/** Starts both for all tests of a file. Returns a function for use inside tests. */
export function sharedPartner(options: BothOptions = {}): () => Both {
  return shared(() => startBoth(options));
}
