/**
 * The method under test without a service around it, with time that passes when a test says so, and a
 * provider whose metadata a test answers for.
 *
 * @module
 */

import { inflateRawSync } from "node:zlib";
import saml from "@/auth/saml/mod.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { routeRequestOf } from "@/tests/conformance/auth.ts";
import { userOf } from "@/tests/conformance/users.ts";
import type { AuthHost, AuthMethod, RouteAnswer } from "@/plugins/contract.ts";
import type { Identity } from "./certificate.ts";
import { blockOf, issuerOf, signOnOf } from "./home.ts";
import { type MetadataOptions, providerMetadata, REDIRECT } from "./provider_metadata.ts";
import { buildResponse } from "./response.ts";
import type { ResponseOptions } from "./response_options.ts";

/** Where the service is. */
const ORIGIN = "http://service.example";

/** The method with one provider, `acme`, that is known by its metadata. */
export interface Subject extends AsyncDisposable {
  readonly method: AuthMethod;
  readonly source: MetadataSource;
  /** Lines of the log and complaints about the configuration. */
  readonly lines: string[];
  readonly complaints: string[];
  /** Lets time pass. */
  pass(seconds: number): void;
  now(): number;
}

/** A server with metadata. */
export interface MetadataSource extends AsyncDisposable {
  readonly url: string;
  /** The answer of the server. */
  answer: () => Response | Promise<Response>;
  /** How often it was asked. */
  asked: number;
}

/** The content of a valid answer of the server. */
export function rightMetadata(
  key: Pick<Identity, "certificate">,
  changes: Partial<MetadataOptions> = {},
): string {
  const signOn = [{ binding: REDIRECT, location: signOnOf("acme") }];
  return providerMetadata({ entityId: issuerOf("acme"), keys: [key], signOn, ...changes });
}

/** An answer with a document. */
export const xmlOf = (text: string): Response =>
  new Response(text, { headers: { "Content-Type": "application/samlmetadata+xml" } });

/** Starts a server. */
export function startSource(answer: MetadataSource["answer"]): MetadataSource {
  const source: MetadataSource = {
    url: "",
    answer,
    asked: 0,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
    source.asked++;
    return await source.answer();
  });
  return Object.assign(source, { url: `http://127.0.0.1:${server.addr.port}/metadata` });
}

/** How a subject differs from one whose provider answers well. */
export interface SubjectOptions {
  readonly answer?: MetadataSource["answer"];
  /** Members of `settings.idp`; its metadata are those of the server unless told otherwise. */
  readonly idp?: Readonly<Record<string, unknown>>;
  readonly host?: Partial<AuthHost>;
  readonly allowPrivate?: boolean;
  /** `clock_skew`. */
  readonly skew?: number;
}

/** Sets the method up. */
export async function makeSubject(options: SubjectOptions = {}): Promise<Subject> {
  const source = startSource(options.answer ?? (() => new Response("", { status: 404 })));
  let time = Date.now();
  const now = () => time;
  const [lines, complaints]: [string[], string[]] = [[], []];
  const write = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  const host = hostOf({
    users: [userOf("anna", { email: "anna@example.com" })],
    settings: {
      "sso.allow_private_addresses": options.allowPrivate ?? true,
      clock_skew: options.skew ?? 60,
    },
    changes: {
      now,
      log: { info: write("info"), warn: write("warn"), error: write("error") },
      complain: (key, message) => void complaints.push(`${key}: ${message}`),
      ...options.host,
    },
  });
  const block = blockOf(ORIGIN, "acme", { key: { certificate: "" } });
  const settings = { ...(block["settings"] as object), idp: options.idp ?? { metadata: source.url } };
  const method = await saml.setup({ identity_providers: { acme: { ...block, settings } } }, host);
  return {
    method,
    source,
    lines,
    complaints,
    now,
    pass: (seconds) => void (time += seconds * 1000),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** Asks a route of the method. */
async function ask(
  { method }: Subject,
  verb: "GET" | "POST",
  path: string,
  { query = {}, fields = {}, cookie = "" }: {
    readonly query?: Readonly<Record<string, string>>;
    readonly fields?: Readonly<Record<string, string>>;
    readonly cookie?: string;
  },
): Promise<RouteAnswer> {
  const route = method.routes?.find((each) => each.method === verb && each.path === path);
  if (!route) throw new Error(`There is no route ${verb} ${path}`);
  const request = routeRequestOf({ route, headers: { Cookie: cookie, ...FORM }, fields });
  const parameters = new Map([["idp_id", "acme"]]);
  return await route.handle({ ...request, parameters, query: new URLSearchParams(query), wantsPage: true });
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const CALLBACK = "/sso/callback/saml/{idp_id}";

/** The destination of the button: the address without query, or the text of the page. */
export async function begin(subject: Subject): Promise<string> {
  const answer = await ask(subject, "GET", "/login/saml", { query: { idp_id: "acme" } });
  if (answer.kind === "redirect") return answer.to.split("?", 1)[0] ?? "";
  return answer.kind === "refused" ? `${answer.code}: ${answer.message}` : answer.kind;
}

/** Actions in between. */
export interface Meanwhile {
  readonly atProvider?: () => void;
  readonly onTheWay?: () => void;
}

/** A whole login: the user of the new session, or the text of the page. */
export async function logIn(
  subject: Subject,
  key: Identity,
  changes: (right: ResponseOptions) => Partial<ResponseOptions> = () => ({}),
  { atProvider, onTheWay }: Meanwhile = {},
): Promise<string> {
  const begun = await ask(subject, "GET", "/login/saml", { query: { idp_id: "acme" } });
  if (begun.kind !== "redirect") throw new Error(`No login begins: ${JSON.stringify(begun)}`);
  const [cookie = ""] = begun.cookies?.[0]?.split(";", 1) ?? [];
  const message = Uint8Array.fromBase64(new URL(begun.to).searchParams.get("SAMLRequest") ?? "");
  const [, id = ""] = / ID="([^"]+)"/.exec(String(inflateRawSync(message))) ?? [];
  atProvider?.();
  const right = {
    key,
    now: subject.now(),
    inResponseTo: id,
    issuer: issuerOf("acme"),
    acs: `${ORIGIN}/sso/callback/saml/acme`,
    audience: `${ORIGIN}/saml/acme`,
  };
  const document = buildResponse({ ...right, ...changes(right) });
  const fields = { SAMLResponse: new TextEncoder().encode(document).toBase64() };
  const taken = await ask(subject, "POST", CALLBACK, { fields });
  if (taken.kind !== "redirect") return JSON.stringify(taken);
  onTheWay?.();
  const note = new URL(taken.to, ORIGIN).searchParams.get("note") ?? "";
  const done = await ask(subject, "GET", CALLBACK, { query: { note }, cookie });
  if (done.kind === "refused") return `${done.code}: ${done.message}`;
  return done.kind === "redirect" ? done.event?.user ?? "nobody" : done.kind;
}
