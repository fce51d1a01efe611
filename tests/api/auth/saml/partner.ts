/**
 * An identity provider of another code base, samlp, in the process of the test. Its logins ask no questions.
 *
 * @module
 */

import samlp from "@/tests/support/packages/samlp.ts";
import { until } from "@/tests/support/until.ts";
import { type Identity, pemOf, privatePemOf } from "./certificate.ts";
import { type Handler, serveHandler } from "./express.ts";
import { participantsOf } from "./participants.ts";
import type { ExpressRequest, ExpressResponse, Participant } from "@/tests/support/packages/samlp.d.ts";

const BINDINGS = {
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
} as const;

/** A running provider. Its behaviour can be changed at any time. */
export interface Partner extends AsyncDisposable {
  readonly url: string;
  readonly issuer: string;
  /** The NameID of the next logins; undefined cancels the login. */
  account: string | undefined;
  /** Options of samlp that are added or replaced. */
  options: Readonly<Record<string, unknown>>;
  /** The bindings by which it receives and sends logout messages. */
  logoutBinding: keyof typeof BINDINGS;
  /** The certificate that must sign requests; undefined also accepts unsigned ones. */
  requestCertificate: string | undefined;
  /** The kinds and bindings of received messages. */
  readonly received: string[];
  /** Waits until something like this has come. */
  until(what: string): Promise<void>;
  /** Sessions that it knows services to have. */
  readonly participants: Participant[];
}

/** `origin` is where the service is reached, `host` the name of this machine that the provider goes by. */
export async function startPartner(
  key: Identity,
  { origin, host = "127.0.0.1" }: { readonly origin: string; readonly host?: string },
): Promise<Partner> {
  let handle: Handler = () => {};
  const server = await serveHandler((request, response) => handle(request, response));
  const url = `http://${host}:${server.port}`;
  const partner: Partner = {
    url,
    issuer: `${url}/metadata`,
    account: "anna@example.com",
    options: {},
    logoutBinding: "redirect",
    requestCertificate: undefined,
    received: [],
    until: (what) => until(() => partner.received.some((each) => each.startsWith(what))),
    participants: [],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  handle = (request, response) => answer(request, response, { partner, key, origin });
  return partner;
}

interface Knowledge {
  readonly partner: Partner;
  readonly key: Identity;
  readonly origin: string;
}

function answer(request: ExpressRequest, response: ExpressResponse, knowledge: Knowledge): void {
  const { pathname } = new URL(request.originalUrl, knowledge.partner.url);
  const fail = (error: Error) => response.send(500, `samlp refuses: ${error.message}`);
  if (pathname === "/metadata") return describe(request, response, knowledge);
  note(pathname, request, knowledge.partner);
  if (pathname === "/sso") return logIn(request, response, { ...knowledge, fail });
  if (pathname === "/slo") return logOut(request, response, { ...knowledge, fail });
  response.send(404, "Nothing here");
}

function note(path: string, { query, body, method }: ExpressRequest, { received }: Partner): void {
  if (path !== "/sso" && path !== "/slo") return;
  const kind = ["SAMLRequest", "SAMLResponse"].find((name) => name in query || name in body) ?? "nothing";
  received.push(`${path} ${kind} ${method === "GET" ? "redirect" : "post"}`);
}

function describe(request: ExpressRequest, response: ExpressResponse, { partner, key }: Knowledge): void {
  const logoutEndpointPaths = { redirect: "/slo", post: "/slo" };
  const paths = { redirectEndpointPath: "/sso", postEndpointPath: "/sso", logoutEndpointPaths };
  samlp.metadata({ ...identityOf(partner, key), ...paths })(request, response, () => {});
}

interface Answering extends Knowledge {
  readonly fail: (error: Error) => void;
}

/** The service's address for answers, and its entity id. */
interface Asking {
  readonly id: string;
  readonly issuer: string;
  readonly acs: string;
}

/** A login, or the message of a page for a cancelled one. */
function logIn(request: ExpressRequest, response: ExpressResponse, answering: Answering): void {
  const { partner, origin, fail } = answering;
  const { requestCertificate } = partner;
  const options = requestCertificate === undefined ? {} : { signingCert: requestCertificate };
  samlp.parseRequest(request, options, (error, data) => {
    const { id = "", issuer = "", assertionConsumerServiceURL: acs = "" } = data ?? {};
    if (error) return fail(error);
    if (!acs.startsWith(`${origin}/`)) return fail(new Error(`nobody here is at ${acs}`));
    const send = partner.account === undefined ? giveUp : vouch;
    send(request, response, { ...answering, asking: { id, issuer, acs } });
  });
}

type Found = (error: null, url: string) => void;
type Sending = Answering & { readonly asking: Asking };
const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

function vouch(request: ExpressRequest, response: ExpressResponse, sending: Sending): void {
  const { partner, key, asking: { issuer, acs }, fail } = sending;
  const { account = "", requestCertificate: cert, participants } = partner;
  const sessionIndex = `session-${participants.length + 1}`;
  participants.push({
    serviceProviderId: issuer,
    sessionIndex,
    nameId: account,
    nameIdFormat: EMAIL_FORMAT,
    serviceProviderLogoutURL: acs.replace("/sso/callback/", "/sso/logout/"),
    binding: BINDINGS[partner.logoutBinding],
    ...(cert === undefined ? {} : { cert }),
  });
  const options = {
    ...identityOf(partner, key),
    recipient: acs,
    destination: acs,
    sessionIndex,
    nameIdentifierFormat: EMAIL_FORMAT,
    ...(cert === undefined ? {} : { signingCert: cert }),
    getPostURL: (_audience: unknown, _document: unknown, _request: unknown, done: Found) => done(null, acs),
    getUserFromRequest: () => profileOf(account),
    ...partner.options,
  };
  samlp.auth(options)(request, response, fail);
}

function giveUp(request: ExpressRequest, response: ExpressResponse, sending: Sending): void {
  const { partner, key, asking: { id, acs }, fail } = sending;
  const options = {
    ...identityOf(partner, key),
    signResponse: true,
    signatureAlgorithm: "rsa-sha256",
    digestAlgorithm: "sha256",
    destination: acs,
    inResponseTo: id,
    RelayState: request.query["RelayState"] ?? request.body["RelayState"],
    error: { code: "urn:oasis:names:tc:SAML:2.0:status:Responder" },
    getPostURL: (_: unknown, done: Found) => done(null, acs),
  };
  samlp.sendError(options)(request, response, fail);
}

/** Both directions: requests of the service, and those that the provider begins by itself. */
function logOut(
  request: ExpressRequest,
  response: ExpressResponse,
  { partner, key, fail }: Answering,
): void {
  samlp.logout({
    ...identityOf(partner, key),
    deflate: partner.logoutBinding === "redirect",
    protocolBinding: BINDINGS[partner.logoutBinding],
    sessionParticipants: participantsOf(partner.participants),
    ...partner.options,
  })(request, response, fail);
}

function identityOf({ issuer }: Partner, key: Identity) {
  return { issuer, cert: pemOf(key), key: privatePemOf(key) };
}

function profileOf(account: string) {
  const name = { givenName: "Anna", familyName: "Example" };
  return {
    id: account,
    emails: [{ value: account }],
    displayName: "Anna Example",
    name,
    groups: ["staff", "crew"],
  };
}
