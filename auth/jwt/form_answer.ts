/**
 * Answers of providers in forms. The provider's page sends them, and browsers leave this service's cookies out: the token is
 * verified, and the browser is sent on with a sealed note of the outcome, which is good in the browser that began only.
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

/** The path that `redirect_uri` ends with. */
export const CALLBACK = "/login/callback";

/** Seconds that a browser has to follow a redirect. */
const NOTE_LIFETIME = 60;
/** Tells a note from what else is sealed. */
const MARK = "note ";

/** The outcome of an answer in a form. */
export interface Note {
  readonly idp: string;
  readonly state: string;
  readonly nonce: string;
  /** Who it is. */
  readonly login?: string;
  /** Why it is no one user. */
  readonly unmatched?: UnmatchedNote;
  /** What the provider said instead. */
  readonly refusal?: string;
  /** Why it is not accepted. */
  readonly rejection?: string;
}

/** An answer in a form. Nothing is opened or ended here: who sent it is not known. */
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

/** What a note says; undefined for everything that is none, or is too old. */
export function openNote(sealed: string, host: Pick<AuthHost, "unseal">): Note | undefined {
  const opened = host.unseal(sealed);
  // Only this module's own notes have been sealed with the mark.
  return opened?.startsWith(MARK) ? JSON.parse(opened.slice(MARK.length)) as Note : undefined;
}

/** Where answers of a provider come to. */
export function pathOf({ settings: { id } }: Provider, { prefix }: AuthHost): string {
  return `${prefix}${CALLBACK}?idp_id=${encodeURIComponent(id)}`;
}

/** An answer with where it came to. */
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
