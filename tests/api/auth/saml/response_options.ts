/**
 * The options of an identity provider's answer.
 *
 * @module
 */

import type { Identity } from "./certificate.ts";
import type { EncryptOptions } from "./encryption.ts";
import type { SignOptions } from "./signature.ts";

/** The confirmation that an assertion belongs to its sender. */
export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/** The status of an answer that has an assertion. */
export const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
/** The format of a name that is an e-mail address. */
export const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/** A text in every assertion of these tests that must not be shown anywhere. */
export const SECRET = "attribute-value-that-nobody-may-see";

/** An attribute of the subject. */
export interface SamlAttribute {
  readonly name: string;
  readonly friendlyName?: string;
  readonly values: readonly string[];
}

/** The content of an answer. Members that are `null` are left out of the document. */
export interface ResponseOptions {
  /** The key of the provider. */
  readonly key: Identity;
  /** The id of the request that is answered. */
  readonly inResponseTo: string | null;
  /** Entity id of the provider. */
  readonly issuer: string;
  /** Where the answer is sent: the assertion consumer service. */
  readonly acs: string;
  /** Entity id of the service. */
  readonly audience: string;

  readonly version?: string;
  readonly assertionVersion?: string;
  readonly responseIssuer?: string | null;
  readonly assertionIssuer?: string;
  readonly destination?: string | null;
  readonly responseInResponseTo?: string | null;
  readonly status?: string;
  readonly recipient?: string | null;
  readonly confirmationInResponseTo?: string | null;
  readonly method?: string;
  readonly audiences?: readonly string[] | null;
  readonly conditions?: null;
  /** XML behind the audience. */
  readonly moreConditions?: string;

  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: number;
  /** Moments as seconds from now. */
  readonly issued?: number;
  readonly notBefore?: number | null;
  readonly notOnOrAfter?: number | null;
  readonly confirmedUntil?: number | null;
  readonly confirmedFrom?: number;
  readonly sessionUntil?: number;

  readonly nameId?: string | null;
  /** XML instead of the text of the NameID. */
  readonly nameIdXml?: string;
  readonly nameIdFormat?: string;
  readonly attributes?: readonly SamlAttribute[] | null;
  readonly sessionIndex?: string | null;
  readonly statement?: null;

  readonly responseId?: string;
  readonly assertionId?: string;
  /** The signed parts. */
  readonly signs?: readonly ("assertion" | "response")[];
  readonly sign?: SignOptions;
  /** The key of the service, to encrypt the assertion. */
  readonly encryptFor?: Identity;
  readonly encryptNameIdFor?: Identity;
  readonly encrypt?: EncryptOptions;
  /** XML instead of the assertion, and in addition to it. */
  readonly assertions?: (assertion: string) => string;
  /** Changes the assertion before it is signed. */
  readonly beforeSigning?: (assertion: string) => string;
}
