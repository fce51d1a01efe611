/**
 * The provider's login behind a session: its details, with which it can be ended at
 * the provider and by the provider.
 *
 * @module
 */

import type { AuthHost, AuthSession, Json, Onward, SessionDetails } from "@/plugins/contract.ts";
import type { Surroundings } from "@/plugins/kit/providers/identity_providers.ts";
import type { Identity } from "./assertion.ts";
import { send } from "./bindings.ts";
import { encryptId } from "./encryption.ts";
import { type NameId, nameIdElement, writeLogoutRequest } from "./messages.ts";
import type { Peer, Provider } from "./provider.ts";
import { signerIf } from "./signature.ts";

interface ProviderLogin {
  readonly idp: string;
  readonly nameId: NameId;
  readonly sessionIndex?: string;
}

/** Largest size in bytes of JSON: the session's cookie may contain it. */
const LARGEST = 1_200;

/** The details of a user's login; undefined if there are none, or if they are too long. */
export function detailsOf(
  user: string,
  { nameId, sessionIndex }: Identity,
  { provider: { settings: { id: idp } }, host: { log } }: {
    readonly provider: Provider;
    readonly host: Pick<AuthHost, "log">;
  },
): SessionDetails | undefined {
  if (!nameId) return undefined;
  const details = { idp, nameId: { ...nameId }, ...(sessionIndex === undefined ? {} : { sessionIndex }) };
  if (new TextEncoder().encode(JSON.stringify(details)).length <= LARGEST) return details;
  const who = `The login of "${user}" at identity provider "${idp}"`;
  log.warn(`${who} cannot be ended from here, nor from there: its names are too long`);
  return undefined;
}

/** The login in the details of a session of this method. */
export function loginIn(details: SessionDetails | undefined): ProviderLogin | undefined {
  const { idp, nameId, sessionIndex } = details ?? {};
  if (typeof idp !== "string" || !isNameId(nameId)) return undefined;
  return { idp, nameId, ...(typeof sessionIndex === "string" ? { sessionIndex } : {}) };
}

/** Only this module writes these details. */
function isNameId(value: Json | undefined): value is NameId & { readonly [name: string]: string } {
  return typeof value === "object" && value !== null && "value" in value && typeof value.value === "string";
}

/** The subject that finds all sessions of one person at a provider. */
export function subjectOf(idp: string, nameId: string): string {
  return JSON.stringify([idp, nameId]);
}

/**
 * Leads a browser whose session has ended here to the provider, to log out there, too. Undefined: the
 * provider has no single logout, is unreachable, or did not open the session.
 */
export async function afterLogout(
  session: AuthSession,
  { providers, host }: Surroundings<Provider>,
): Promise<Onward | undefined> {
  const login = loginIn(session.details);
  const provider = login && providers.get(login.idp);
  const peer = await provider?.peer();
  if (!login || !provider || !peer?.logout) return undefined;
  const { settings } = provider;
  const subject = subjectElement(login, peer, settings.security.nameIdEncrypted);
  if (subject === undefined) {
    host.log.error(`Identity provider "${login.idp}" has no certificate that a NameID can be encrypted for`);
    return undefined;
  }
  const { xml } = writeLogoutRequest(settings, {
    to: peer.logout.url,
    now: host.now(),
    subject,
    sessionIndex: login.sessionIndex,
  });
  const signer = signerIf(settings.security.logoutRequestSigned, settings);
  return send(peer.logout, { field: "SAMLRequest", xml, signer });
}

/** A NameID that must be encrypted is never sent in plain text. */
function subjectElement(
  { nameId }: ProviderLogin,
  { encryption }: Peer,
  isEncrypted: boolean,
): string | undefined {
  const element = nameIdElement(nameId);
  if (!isEncrypted) return element;
  const key = encryption.map(({ publicKey }) => publicKey)
    .find(({ asymmetricKeyType }) => asymmetricKeyType === "rsa");
  return key && encryptId(element, key);
}
