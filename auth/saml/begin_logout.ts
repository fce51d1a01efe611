/**
 * Leads a browser whose session has ended here to the provider, to log out there, too.
 *
 * @module
 */

import type { AuthSession, Onward } from "@/plugins/contract.ts";
import { send } from "./bindings.ts";
import { loginIn, type ProviderLogin } from "./details.ts";
import { encryptId } from "./encrypt.ts";
import { nameIdElement, writeLogoutRequest } from "./messages.ts";
import type { Peer } from "./provider.ts";
import { signerIf, type Surroundings } from "./surroundings.ts";

/** Undefined: the provider has no single logout, is unreachable, or did not open the session. */
export async function afterLogout(
  session: AuthSession,
  { providers, host }: Surroundings,
): Promise<Onward | undefined> {
  const login = session.method === "saml" ? loginIn(session.details) : undefined;
  const provider = login && providers.get(login.idp);
  const peer = await provider?.peer();
  if (!login || !provider || !peer?.logout) return undefined;
  const { settings } = provider;
  const subject = subjectOf(login, peer, settings.security.nameIdEncrypted);
  if (subject === undefined) {
    host.log.error(`Identity provider "${login.idp}" has no certificate that a NameID can be encrypted for`);
    return undefined;
  }
  const { xml } = writeLogoutRequest(settings, { subject, sessionIndex: login.sessionIndex }, {
    to: peer.logout.url,
    now: host.now(),
  });
  const signer = signerIf(settings.security.logoutRequestSigned, settings);
  return send(peer.logout, { field: "SAMLRequest", xml, signer });
}

/** A NameID that must be encrypted is never sent in plain text. */
function subjectOf(
  { nameId }: ProviderLogin,
  { encryption }: Peer,
  isEncrypted: boolean,
): string | undefined {
  const element = nameIdElement(nameId);
  if (!isEncrypted) return element;
  const key = encryption.find((certificate) => certificate.key.asymmetricKeyType === "rsa")?.key;
  return key && encryptId(element, key);
}
