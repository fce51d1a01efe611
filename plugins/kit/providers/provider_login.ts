/**
 * Logins of browsers at identity providers: how they begin and end, whatever the protocol is.
 *
 * @module
 */

import { timingSafeEqual } from "node:crypto";
import type {
  AuthEvent,
  AuthHost,
  RouteAnswer,
  SealedCookie,
  Sender,
  SessionOptions,
  User,
} from "@/plugins/contract.ts";
import { type Arrived, CHOOSE, type IdentityProvider } from "./identity_providers.ts";
import { LoginFailure, LostLogin, OvertakenLogin, require, Unreachable } from "./login_failure.ts";
import { Unmatched } from "./match_user.ts";

/** Seconds that users have to log in at the provider. */
const FLOW_LIFETIME = 900;
/** Seconds that a browser has to follow a redirect. */
const NOTE_LIFETIME = 60;
/** Distinguishes notes from other sealed texts. */
const MARK = "note ";

/**
 * The result of checking a provider's message. The message counts as an attempt before the check, which takes
 * long, and no longer if it is right or cannot be checked at the moment.
 */
export async function countMessage<Result>(
  { request, host }: Pick<Arrived<unknown>, "request" | "host">,
  check: () => Promise<Result>,
): Promise<Result> {
  const attempt = await host.throttle.countMessage(request.client.network);
  try {
    const result = await check();
    await attempt.succeeded();
    return result;
  } catch (error) {
    if (!(error instanceof LoginFailure && error.counts)) await attempt.succeeded();
    throw error;
  }
}

/** A login that has begun. */
export interface Flow {
  readonly idp: string;
  /** The random name that the provider's answer repeats. */
  readonly id: string;
  /** The destination after the login: a path of this service. */
  readonly next: string;
}

/** The sealed cookie of a login that has begun; without it no answer of a provider opens a session. */
export class FlowCookie<F extends Flow> {
  readonly #cookie: SealedCookie;

  constructor(name: string, host: Pick<AuthHost, "sealedCookie">) {
    this.#cookie = host.sealedCookie(name, FLOW_LIFETIME);
  }

  /** Replaces an earlier login of the same browser. */
  give(flow: F, sender: Sender): string {
    return this.#cookie.give(JSON.stringify(flow), sender);
  }

  /** Removes the cookie. */
  clear(sender: Sender): string {
    return this.#cookie.clear(sender);
  }

  /** The login that this browser has begun; undefined without one, and after it has expired. */
  read(sender: Sender): F | undefined {
    const kept = this.#cookie.read(sender);
    return kept === undefined ? undefined : JSON.parse(kept) as F;
  }
}

/** The outcome of a message that a provider's page sent: browsers leave out this service's cookies then. */
interface AnyNote {
  readonly kind: string;
  readonly idp: string;
}

/** Seals a note for an address. */
export function sealNote(note: AnyNote, host: Pick<AuthHost, "seal">): string {
  return host.seal(MARK + JSON.stringify(note), NOTE_LIFETIME);
}

/**
 * The content of a note; undefined for another kind or provider, any other text, and after it has expired.
 */
export function openNote<Note extends AnyNote>(
  sealed: string,
  { kind, idp }: Pick<Note, "kind" | "idp">,
  host: Pick<AuthHost, "unseal">,
): Note | undefined {
  const opened = host.unseal(sealed);
  if (!opened?.startsWith(MARK)) return undefined;
  // Only this module seals texts with this mark.
  const note = JSON.parse(opened.slice(MARK.length)) as Note;
  return note.kind === kind && note.idp === idp ? note : undefined;
}

/**
 * Begins a login with `lead`, unless the browser has a session and the request comes from a page of another
 * site, such as a portal: other sites must not end or replace a session.
 */
export async function beginLogin<Provider>(
  arrived: Arrived<Provider>,
  wanted: string,
  lead: (login: { readonly next: string; readonly chooses: boolean }) => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  const { request, host } = arrived;
  const next = host.localPath(wanted) ?? `${host.prefix}/`;
  const isElsewhere = ["cross-site", "same-site"].includes(request.headers.get("sec-fetch-site") ?? "");
  if (isElsewhere && (await host.sessions.resume(request)).session) {
    return { kind: "redirect", status: 303, to: next };
  }
  return await lead({ next, chooses: request.query.get(CHOOSE) === "true" });
}

/** A login at its last step: the browser sends its cookie. */
export interface Finishing<F extends Flow = Flow, Provider extends IdentityProvider = IdentityProvider>
  extends Arrived<Provider> {
  readonly cookie: FlowCookie<F>;
  readonly flow: F | undefined;
}

/**
 * The login that this browser has begun and the answer names. It is finished once,
 * on all workers and nodes together.
 */
export async function requireOwn<F extends Flow>(
  { flow, provider, host }: Finishing<F>,
  answered: string,
): Promise<F> {
  if (!flow) throw new LostLogin();
  const isIts = flow.idp === provider.settings.id && answered !== "" && isSame(flow.id, answered);
  if (!isIts) throw new OvertakenLogin();
  require(await host.once(`login ${flow.id}`, FLOW_LIFETIME), "an answer that was used before");
  return flow;
}

/**
 * Opens the session, and leads the browser to its destination. `person` is the provider's name for the
 * person, because several may have one account.
 */
export async function openSession(
  user: User | undefined,
  { request, provider, host, flow, cookie }: Finishing,
  { person, ...options }: SessionOptions & { readonly person?: string | undefined },
): Promise<Extract<RouteAnswer, { kind: "done" }>> {
  require(user !== undefined, "a user who is no longer there");
  return {
    kind: "done",
    to: flow?.next ?? `${host.prefix}/`,
    status: 303,
    result: { user: user.login },
    cookies: [...await host.sessions.open(user, request, options), cookie.clear(request)],
    event: {
      action: "login",
      outcome: "success",
      user: user.login,
      reason: `identity provider ${provider.settings.id}`,
      ...(person === undefined ? {} : { value: person }),
    },
  };
}

/** Shows a failure on the login page, and ends an existing session. Throws all other errors. */
export async function refuseLogin(
  failure: unknown,
  { request, provider: { settings: { id, name } }, host, flow, cookie }: Finishing,
): Promise<Extract<RouteAnswer, { kind: "refused" }>> {
  if (!(failure instanceof LoginFailure)) throw failure;
  const ended = mayEndSession(request.headers, flow !== undefined) ? await host.sessions.close(request) : [];
  return {
    kind: "refused",
    code: failure instanceof Unreachable ? "unavailable" : "forbidden",
    message: failure.messageFor(name, request.requestId),
    next: flow?.next ?? `${host.prefix}/`,
    cookies: [...ended, ...failure instanceof OvertakenLogin ? [] : [cookie.clear(request)]],
    event: refusedLogin(id, failure.message, failure instanceof Unmatched ? failure.mismatch : undefined),
  };
}

/** The entry of the audit log for a login that was refused. */
export function refusedLogin(idp: string, why: string, unmatched?: { readonly value: string }): AuthEvent {
  const value = unmatched ? { value: unmatched.value } : {};
  return { action: "login", outcome: "refused", reason: `identity provider ${idp}: ${why}`, ...value };
}

/**
 * A link on another site must not be able to log users out: only answers to logins that this browser has
 * begun do. Without TLS, browsers do not send the site of a link.
 */
function mayEndSession(headers: Headers, hasBegun: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  return hasBegun || site === "same-origin" || site === "none";
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
