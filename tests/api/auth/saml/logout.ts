/**
 * Messages that end sessions, as a provider writes them.
 *
 * @module
 */

import type { Identity } from "./certificate.ts";
import { encryptInto } from "./encryption.ts";
import { newId } from "./response.ts";
import { EMAIL_FORMAT, SUCCESS } from "./response_options.ts";
import { element, moment, root, textOf } from "./xml.ts";

/** The content of a request. Members that are `null` are left out. */
export interface LogoutRequestOptions {
  readonly issuer: string;
  readonly destination: string | null;
  readonly nameId: string;
  readonly nameIdFormat?: string;
  readonly sessionIndexes?: readonly string[];
  /** Seconds from now. */
  readonly notOnOrAfter?: number | null;
  readonly issued?: number;
  readonly id?: string;
  readonly version?: string;
  readonly encryptNameIdFor?: Identity;
}

/** A `LogoutRequest`, not signed. */
export function logoutRequest(options: LogoutRequestOptions): string {
  const { issuer, destination, sessionIndexes = ["session-1"], notOnOrAfter = 300, issued = 0 } = options;
  return root(
    "samlp:LogoutRequest",
    {
      ID: options.id ?? newId(),
      Version: options.version ?? "2.0",
      IssueInstant: moment(Date.now() + issued * 1000),
      Destination: destination ?? undefined,
      NotOnOrAfter: notOnOrAfter === null ? undefined : moment(Date.now() + notOnOrAfter * 1000),
    },
    root("saml:Issuer", {}, textOf(issuer)),
    nameIdOf(options),
    ...sessionIndexes.map((index) => element("samlp:SessionIndex", {}, textOf(index))),
  );
}

function nameIdOf({ nameId, nameIdFormat = EMAIL_FORMAT, encryptNameIdFor }: LogoutRequestOptions): string {
  const name = root("saml:NameID", { Format: nameIdFormat }, textOf(nameId));
  if (!encryptNameIdFor) return name;
  const encrypted = encryptInto("saml:EncryptedID", name, encryptNameIdFor.publicKey);
  return encrypted.replace(
    "<saml:EncryptedID",
    '<saml:EncryptedID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
  );
}

/** The content of an answer. */
export interface LogoutResponseOptions {
  readonly issuer: string;
  readonly destination: string;
  readonly inResponseTo: string;
  readonly status?: string;
}

/** A `LogoutResponse`, not signed. */
export function logoutResponse({ issuer, destination, inResponseTo, status }: LogoutResponseOptions): string {
  return root(
    "samlp:LogoutResponse",
    {
      ID: newId(),
      Version: "2.0",
      IssueInstant: moment(Date.now()),
      Destination: destination,
      InResponseTo: inResponseTo,
    },
    root("saml:Issuer", {}, textOf(issuer)),
    element("samlp:Status", {}, element("samlp:StatusCode", { Value: status ?? SUCCESS })),
  );
}
