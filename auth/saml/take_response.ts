/**
 * Takes responses that a provider's page sends. It neither opens nor ends a session: the sender is unknown.
 *
 * @module
 */

import type { RouteAnswer, RouteRequest, SessionDetails, User } from "@/plugins/contract.ts";
import { noteFor, Unmatched } from "@/plugins/kit/match_user.ts";
import { decodeBase64 } from "./bounded_text.ts";
import { detailsOf } from "./details.ts";
import type { Identity } from "./identity.ts";
import { matchUser } from "./match_user.ts";
import { type LoginNote, sealNote } from "./note.ts";
import { readResponse } from "./read_response.ts";
import { readWithKeys, type Taken } from "./read_with_keys.ts";
import { Expired, Refusal, Rejection, require, Unasked } from "./rejection.ts";
import { ACS_PATH } from "./settings.ts";
import {
  badRequest,
  formIn,
  MESSAGE_LIFETIME,
  providerOf,
  type Surroundings,
  unknownProvider,
  unreachable,
} from "./surroundings.ts";

/** Verifies a response, and redirects the browser to an address to which it sends its cookie. */
export async function takeResponse(request: RouteRequest, surroundings: Surroundings): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  const { host } = surroundings;
  const fields = await formIn(request);
  const response = fields.get("SAMLResponse");
  if (response === undefined) return badRequest("There is no form with a field SAMLResponse");
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, `${host.prefix}/`);
  const taken = { request, provider, surroundings, peer };
  const note = await noteOf({ response, relayState: fields.get("RelayState") ?? "" }, taken);
  const path = `${host.prefix}${ACS_PATH}${encodeURIComponent(provider.settings.id)}`;
  const to = `${path}?note=${sealNote(note, host)}`;
  return { kind: "redirect", status: 303, to, ...eventOf(note) };
}

/** The fields of a provider's form. */
interface Sent {
  readonly response: string;
  readonly relayState: string;
}

async function noteOf({ response, relayState }: Sent, taken: Taken): Promise<LoginNote> {
  const { request, provider: { settings }, surroundings: { host } } = taken;
  const { entityId: audience, acsUrl: destination } = settings.sp;
  const base = { kind: "login", idp: settings.id } as const;
  let about: Pick<LoginNote, "request"> = {};
  try {
    const bytes = decodeBase64(response);
    const identity = await readWithKeys(
      taken,
      (rules) => readResponse(bytes, { ...rules, audience, destination }),
    );
    await requireFirst(identity, taken);
    about = { request: identity.requestId };
    const user = matchUser(identity, settings, host);
    const { endsAt } = identity;
    const end = endsAt === undefined ? {} : { endsAt };
    return { ...base, ...about, login: user.login, ...end, ...detailsFor(user, identity, taken) };
  } catch (error) {
    if (error instanceof Refusal) return { ...base, refusal: error.code };
    if (error instanceof Unasked) {
      return { ...base, unasked: host.localPath(relayState) ?? `${host.prefix}/` };
    }
    if (error instanceof Unmatched) return { ...base, ...about, unmatched: noteFor(error) };
    if (!(error instanceof Rejection)) throw error;
    await host.throttle.countMessage(request.client.network);
    const { requestId } = request;
    return { ...base, rejection: error.message, isExpired: error instanceof Expired, requestId };
  }
}

/** An assertion is valid once, on all workers and nodes together. */
async function requireFirst(
  { assertionId, until }: Identity,
  { provider: { settings: { id } }, surroundings: { host } }: Taken,
): Promise<void> {
  const left = Math.ceil((until - host.now()) / 1000);
  const seconds = Math.min(Math.max(left, 1), MESSAGE_LIFETIME);
  require(await host.once(`assertion ${id} ${assertionId}`, seconds), "an assertion that was used before");
}

/** The details for ending the login at the provider, and for ending the session at the provider's request. */
function detailsFor(
  user: User,
  identity: Identity,
  { provider: { settings: { id } }, surroundings: { host } }: Taken,
): { readonly details?: SessionDetails } {
  const { nameId } = identity;
  if (!nameId) return {};
  const details = detailsOf(id, nameId, identity);
  if (details) return { details };
  const who = `The login of "${user.login}" at identity provider "${id}"`;
  host.log.warn(`${who} cannot be ended from here, nor from there: its names are too long`);
  return {};
}

/** Logged here, because the browser may never follow the redirect. */
function eventOf(
  { idp, rejection, unmatched }: LoginNote,
): Pick<Extract<RouteAnswer, { kind: "redirect" }>, "event"> {
  const why = unmatched?.reason ?? rejection;
  if (why === undefined) return {};
  const value = unmatched ? { value: unmatched.value } : {};
  return {
    event: { action: "login", outcome: "refused", reason: `identity provider ${idp}: ${why}`, ...value },
  };
}
