/**
 * The callback of providers: `/login/callback?idp_id=…` with an answer in the address, in a form, or in the
 * fragment, which a page sends on as a form. The provider's page sends forms, so browsers leave out this
 * service's cookies: the token is verified, and the browser is redirected with a sealed note of the outcome,
 * which is only valid in the browser that began the login.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, User } from "@/plugins/contract.ts";
import {
  type Arrived,
  badRequest,
  unknownProvider,
  unreachable,
} from "@/plugins/kit/providers/identity_providers.ts";
import { Refusal, Rejection, require, Unreachable } from "@/plugins/kit/providers/login_failure.ts";
import { type Mismatch, Unmatched } from "@/plugins/kit/providers/match_user.ts";
import {
  countMessage,
  type Finishing as FinishingOf,
  isSame,
  openNote,
  openSession,
  refuseLogin,
  requireOwn,
  sealNote,
} from "@/plugins/kit/providers/provider_login.ts";
import { cookieOf, leadToProvider, type OidcFlow } from "./begin_login.ts";
import { matchUser } from "./match_user.ts";
import type { Provider } from "./provider.ts";
import { detailsOf } from "./provider_session.ts";
import { CALLBACK } from "./provider_settings.ts";
import { codeOf, completeClaims, exchangeCode } from "./tokens.ts";
import { verifyToken } from "./verify_token.ts";

/** The outcome of an answer in a form. */
interface Note {
  readonly kind: "login";
  readonly idp: string;
  readonly state: string;
  readonly nonce: string;
  /** The user's login, and the provider's name for the person. */
  readonly login?: string;
  readonly person?: string | undefined;
  /** Why the claims match no single user. */
  readonly unmatched?: Mismatch;
  /** The provider's error code. */
  readonly refusal?: string;
  /** Why the answer is rejected. */
  readonly rejection?: string;
}

type Finishing = FinishingOf<OidcFlow, Provider>;

/** Takes an answer in a form. It neither opens nor ends a session: the sender is unknown. */
export async function takeForm(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, provider, host } = arrived;
  if (provider.settings.responseType !== "id_token") return unknownProvider();
  const note = await noteOf(await request.fields(), arrived);
  if (!note) return unreachable(provider, `${host.prefix}/`);
  return { kind: "redirect", status: 303, to: `${pathOf(provider, host)}&note=${sealNote(note, host)}` };
}

/** Undefined while the provider's keys cannot be read. */
async function noteOf(
  fields: ReadonlyMap<string, string>,
  arrived: Arrived<Provider>,
): Promise<Note | undefined> {
  const { provider, host } = arrived;
  const { id: idp } = provider.settings;
  const base = { kind: "login", idp, state: fields.get("state") ?? "", nonce: "" } as const;
  const error = fields.get("error");
  if (error !== undefined) return { ...base, refusal: codeOf(error) };
  let nonce = "";
  try {
    const token = fields.get("id_token") ?? "";
    const claims = await countMessage(arrived, () => verifyToken(token, { provider, host }));
    nonce = typeof claims["nonce"] === "string" ? claims["nonce"] : "";
    const { login } = matchUser(claims, provider.settings, host);
    return { ...base, nonce, login, person: claims.sub };
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    if (error instanceof Unmatched) return { ...base, nonce, unmatched: error.mismatch };
    if (!(error instanceof Rejection)) throw error;
    return { ...base, rejection: error.message };
  }
}

/** The path for answers of a provider. */
function pathOf({ settings: { id } }: Provider, { prefix }: AuthHost): string {
  return `${prefix}${CALLBACK}?idp_id=${encodeURIComponent(id)}`;
}

/**
 * Takes an answer in the address, or a note. The browser sends its cookie here, so only this opens sessions.
 */
export async function finishLogin(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, provider, host } = arrived;
  const { query, method } = request;
  // An answer is valid once: HEAD must not consume it.
  if (method !== "GET") return badRequest("Logins are finished with GET");
  // The address has only the provider's id.
  if (provider.settings.responseType === "id_token" && [...query.keys()].every((name) => name === "idp_id")) {
    return { kind: "fragment", to: pathOf(provider, host) };
  }
  const cookie = cookieOf(host);
  const finishing = { ...arrived, cookie, flow: cookie.read(request) };
  try {
    return await countMessage(arrived, async () => {
      const sealed = query.get("note");
      const { user, person } = sealed === null
        ? await userOfCode(query, finishing)
        : await userOfNote(sealed, finishing);
      return await openSession(user, finishing, { details: detailsOf(provider), person });
    });
  } catch (error) {
    const { flow } = finishing;
    if (!flow || !isUnknownPrompt(error, flow)) return await refuseLogin(error, finishing);
    return await leadToProvider(finishing, { ...flow, prompt: "login" });
  }
}

/** The user of an accepted answer, and the provider's name for the person. */
interface Known {
  readonly user: User | undefined;
  readonly person: string | undefined;
}

async function userOfNote(sealed: string, finishing: Finishing): Promise<Known> {
  const { provider, host } = finishing;
  const note = openNote<Note>(sealed, { kind: "login", idp: provider.settings.id }, host);
  require(note !== undefined, "a note that is not of this service");
  const begun = await requireOwn(finishing, note.state);
  if (note.refusal !== undefined) throw new Refusal(note.refusal);
  if (note.rejection !== undefined) throw new Rejection(note.rejection);
  require(isSame(note.nonce, begun.nonce), "a token of another login");
  if (note.unmatched) throw new Unmatched(note.unmatched);
  return { user: note.login === undefined ? undefined : host.findUser(note.login), person: note.person };
}

async function userOfCode(query: URLSearchParams, finishing: Finishing): Promise<Known> {
  const { provider, host } = finishing;
  const begun = await requireOwn(finishing, query.get("state") ?? "");
  const error = query.get("error");
  if (error !== null) throw new Refusal(codeOf(error));
  require(provider.settings.responseType === "code", "an answer that was not asked for");
  const tokens = await exchangeCode(query, begun, finishing);
  const claims = await verifyToken(tokens.id_token ?? "", { provider, host });
  const complete = await completeClaims(claims, tokens, finishing);
  return { user: matchUser(complete, provider.settings, host), person: claims.sub };
}

/** Every provider knows the prompt "login"; some refuse the other one. */
function isUnknownPrompt(error: unknown, { prompt }: OidcFlow): boolean {
  return error instanceof Refusal && error.code === "invalid_request" && prompt === "select_account";
}
