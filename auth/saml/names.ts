/**
 * Names that the standards give.
 *
 * @module
 */

/** Namespaces of elements. */
export const NAMESPACES = {
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  metadata: "urn:oasis:names:tc:SAML:2.0:metadata",
  signature: "http://www.w3.org/2000/09/xmldsig#",
  encryption: "http://www.w3.org/2001/04/xmlenc#",
  encryption11: "http://www.w3.org/2009/xmlenc11#",
} as const;

/** How messages go through browsers. */
export type Binding = "redirect" | "post";

/** Their URNs. */
export const BINDINGS: Readonly<Record<Binding, string>> = {
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
};

/** What `NameIDFormat` may be. */
export const NAME_ID_FORMATS = [
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:WindowsDomainQualifiedName",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:entity",
] as const;

/** The format of the name of an entity, such as an `Issuer`. */
export const ENTITY_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
/** The confirmation of a subject that whoever brings the assertion is meant. */
export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/** What every status code of the standard begins with. */
export const STATUS_PREFIX = "urn:oasis:names:tc:SAML:2.0:status:";
/** The transform that leaves a signature out of what it signs. */
export const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/** The canonical form that does not depend on what is around an element. */
export const EXCLUSIVE_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";

/** A signature algorithm as node:crypto knows it. */
export interface SignatureAlgorithm {
  readonly hash: string;
  readonly keyType: "rsa" | "dsa";
  readonly isDeprecated: boolean;
}

/** All signature algorithms that there are here. None is symmetric: a certificate is no secret. */
export const SIGNATURE_ALGORITHMS: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ["http://www.w3.org/2000/09/xmldsig#rsa-sha1", { hash: "sha1", keyType: "rsa", isDeprecated: true }],
  ["http://www.w3.org/2000/09/xmldsig#dsa-sha1", { hash: "sha1", keyType: "dsa", isDeprecated: true }],
  [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    { hash: "sha256", keyType: "rsa", isDeprecated: false },
  ],
  [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
    { hash: "sha384", keyType: "rsa", isDeprecated: false },
  ],
  [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
    { hash: "sha512", keyType: "rsa", isDeprecated: false },
  ],
]);

/** All digest algorithms that there are here. */
export const DIGEST_ALGORITHMS: ReadonlyMap<
  string,
  { readonly hash: string; readonly isDeprecated: boolean }
> = new Map([
  ["http://www.w3.org/2000/09/xmldsig#sha1", { hash: "sha1", isDeprecated: true }],
  ["http://www.w3.org/2001/04/xmlenc#sha256", { hash: "sha256", isDeprecated: false }],
  ["http://www.w3.org/2001/04/xmldsig-more#sha384", { hash: "sha384", isDeprecated: false }],
  ["http://www.w3.org/2001/04/xmlenc#sha512", { hash: "sha512", isDeprecated: false }],
]);
