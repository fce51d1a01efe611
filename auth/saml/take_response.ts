/**
 * Responses that a provider's page sends. Nothing is opened or ended here: who sent it is not known.
 *
 * @module
 */

import type { RouteAnswer, RouteRequest, SessionDetails, User } from "@/plugins/contract.ts";
import { decodeBase64 } from "./bounded_text.ts";
import { BY_NOBODY } from "./check_signature.ts";
import { UNDECRYPTABLE } from "./decrypt.ts";
import { detailsOf } from "./details.ts";
import type { Identity } from "./identity.ts";
import { matchUser } from "./match_user.ts";
import { type LoginNote, sealNote } from "./note.ts";
import type { Peer } from "./provider.ts";
import { readResponse } from "./read_response.ts";
import { Refusal, Rejection, require } from "./rejection.ts";
import { ACS_PATH } from "./settings.ts";
import {
  type Arrived,
  badRequest,
  formIn,
  MESSAGE_LIFETIME,
  providerOf,
  rulesFor,
  type Surroundings,
  unknownProvider,
  unreachable,
} from "./surroundings.ts";

/** Checks a response, and sends the browser on to where its own cookie comes along. */
export async function takeResponse(request: RouteRequest, surroundings: Surroundings): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  const { host } = surroundings;
  const response = (await formIn(request)).get("SAMLResponse");
  if (response === undefined) return badRequest("There is no form with a field SAMLResponse");
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, `${host.prefix}/`);
  const note = await noteOf(response, { request, provider, surroundings, peer });
  const path = `${host.prefix}${ACS_PATH}${encodeURIComponent(provider.settings.id)}`;
  const to = `${path}?note=${sealNote(note, host)}`;
  return { kind: "redirect", status: 303, to, ...eventOf(note) };
}

interface Taken extends Arrived {
  readonly peer: Peer;
}

async function noteOf(response: string, taken: Taken): Promise<LoginNote> {
  const { request, provider: { settings }, surroundings: { host } } = taken;
  const base = { kind: "login", idp: settings.id } as const;
  try {
    const identity = await identityIn(decodeBase64(response), taken);
    await requireFirst(identity, taken);
    const user = matchUser(identity, settings, host);
    return { ...base, request: identity.requestId, login: user.login, ...detailsFor(user, identity, taken) };
  } catch (error) {
    if (error instanceof Refusal) return { ...base, refusal: error.code };
    if (!(error instanceof Rejection)) throw error;
    await host.throttle.countFailure(request.client.network);
    return { ...base, rejection: error.message };
  }
}

/** A key that is not known yet may be in the metadata as it is now. */
async function identityIn(bytes: Uint8Array, taken: Taken): Promise<Identity> {
  try {
    return read(bytes, taken.peer, taken);
  } catch (error) {
    const mayBeNew = error instanceof Rejection && [BY_NOBODY, UNDECRYPTABLE].includes(error.message);
    const peer = mayBeNew ? await taken.provider.renewedPeer() : undefined;
    if (!peer) throw error;
    return read(bytes, peer, taken);
  }
}

function read(bytes: Uint8Array, peer: Peer, { provider, surroundings }: Taken): Identity {
  const { sp } = provider.settings;
  const rules = rulesFor(provider, peer, surroundings);
  return readResponse(bytes, { ...rules, audience: sp.entityId, destination: sp.acsUrl });
}

/** An assertion is good once, whichever worker or node it comes to. */
async function requireFirst(
  { assertionId, until }: Identity,
  { provider: { settings: { id } }, surroundings: { host } }: Taken,
): Promise<void> {
  const left = Math.ceil((until - host.now()) / 1000);
  const seconds = Math.min(Math.max(left, 1), MESSAGE_LIFETIME);
  require(await host.once(`assertion ${id} ${assertionId}`, seconds), "an assertion that was used before");
}

/** What is needed to end the login at the provider, too. */
function detailsFor(
  user: User,
  identity: Identity,
  { provider: { settings: { id } }, peer, surroundings: { host } }: Taken,
): { readonly details?: SessionDetails } {
  const { nameId } = identity;
  if (!nameId || !peer.logout) return {};
  const details = detailsOf(id, nameId, identity);
  if (details) return { details };
  const who = `The login of "${user.login}" at identity provider "${id}"`;
  host.log.warn(`${who} cannot be ended from here: its names are too long`);
  return {};
}

/** Whoever never comes back is in the log all the same. */
function eventOf({ idp, rejection }: LoginNote): Pick<Extract<RouteAnswer, { kind: "redirect" }>, "event"> {
  if (rejection === undefined) return {};
  return {
    event: { action: "login", outcome: "refused", reason: `identity provider ${idp}: ${rejection}` },
  };
}
