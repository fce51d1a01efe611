/**
 * Answers of providers in forms. The provider's page sends them, so browsers leave out this service's cookies: the token
 * is verified, and the browser is redirected with a sealed note of the outcome, which is only valid in the browser that
 * began the login.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { noteFor, Unmatched, type UnmatchedNote } from "@/plugins/kit/match_user.ts";
import { DocumentError } from "./documents.ts";
import { codeOf } from "./exchange_code.ts";
import { matchUser } from "./match_user.ts";
import type { Provider } from "./provider.ts";
import { Rejection } from "./rejection.ts";
import { providerOf, type Surroundings, unknownProvider, unreachable } from "./surroundings.ts";
import { verifyToken } from "./verify_token.ts";

/** The end of `redirect_uri`. */
export const CALLBACK = "/login/callback";

/** Seconds that a browser has to follow a redirect. */
const NOTE_LIFETIME = 60;
/** Distinguishes notes from other sealed texts. */
const MARK = "note ";

/** The outcome of an answer in a form. */
export interface Note {
  readonly idp: string;
  readonly state: string;
  readonly nonce: string;
  /** The user's login. */
  readonly login?: string;
  /** Why the claims match no single user. */
  readonly unmatched?: UnmatchedNote;
  /** The provider's error code. */
  readonly refusal?: string;
  /** Why the answer is rejected. */
  readonly rejection?: string;
}

/** Takes an answer in a form. It neither opens nor ends a session: the sender is unknown. */
export async function takeForm(
  request: RouteRequest,
  surroundings: Surroundings,
): Promise<RouteAnswer> {
  const { host } = surroundings;
  const provider = providerOf(request, surroundings);
  if (!provider || provider.settings.responseType !== "id_token") return unknownProvider();
  const fields = await request.fields();
  const note = await noteOf(fields, { request, provider, host });
  if (!note) return unreachable(provider, `${host.prefix}/`);
  const sealed = host.seal(MARK + JSON.stringify(note), NOTE_LIFETIME);
  return { kind: "redirect", status: 303, to: `${pathOf(provider, host)}&note=${sealed}` };
}

/** The content of a note; undefined for any other text, and after it has expired. */
export function openNote(sealed: string, host: Pick<AuthHost, "unseal">): Note | undefined {
  const opened = host.unseal(sealed);
  // Only this module seals texts with this mark.
  return opened?.startsWith(MARK) ? JSON.parse(opened.slice(MARK.length)) as Note : undefined;
}

/** The path for answers of a provider. */
export function pathOf({ settings: { id } }: Provider, { prefix }: AuthHost): string {
  return `${prefix}${CALLBACK}?idp_id=${encodeURIComponent(id)}`;
}

/** An answer with its request and provider. */
interface Arrived {
  readonly request: RouteRequest;
  readonly provider: Provider;
  readonly host: AuthHost;
}

/** Undefined while the provider's keys cannot be read. */
async function noteOf(
  fields: ReadonlyMap<string, string>,
  { request, provider, host }: Arrived,
): Promise<Note | undefined> {
  const base = { idp: provider.settings.id, state: fields.get("state") ?? "", nonce: "" };
  const error = fields.get("error");
  if (error !== undefined) return { ...base, refusal: codeOf(error) };
  let nonce = "";
  const attempt = await host.throttle.countMessage(request.client.network);
  try {
    const claims = await verifyToken(fields.get("id_token") ?? "", { provider, host });
    await attempt.succeeded();
    nonce = typeof claims["nonce"] === "string" ? claims["nonce"] : "";
    return { ...base, nonce, login: matchUser(claims, provider.settings, host).login };
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    if (error instanceof Unmatched) return { ...base, nonce, unmatched: noteFor(error) };
    if (!(error instanceof Rejection)) throw error;
    return { ...base, rejection: error.message };
  }
}
