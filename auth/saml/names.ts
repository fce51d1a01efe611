/**
 * Names from the standards.
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

/** How messages travel through browsers. */
export type Binding = "redirect" | "post";

/** The URNs of the bindings. */
export const BINDINGS: Readonly<Record<Binding, string>> = {
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
};

/** The binding with this URN. */
export function bindingOf(urn: string | undefined): Binding | undefined {
  return urn === BINDINGS.redirect ? "redirect" : urn === BINDINGS.post ? "post" : undefined;
}

/** The allowed values of `NameIDFormat`. */
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
/** The confirmation method "bearer": the sender of the assertion is its subject. */
export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/** The prefix of all status codes of the standard. */
export const STATUS_PREFIX = "urn:oasis:names:tc:SAML:2.0:status:";
/** The transform that excludes a signature from the text that it signs. */
export const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/** The canonical form that does not depend on the context of an element. */
export const EXCLUSIVE_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";

/** A signature algorithm in the terms of node:crypto. */
export interface SignatureAlgorithm {
  readonly hash: string;
  readonly keyType: "rsa" | "dsa";
}

/** The hash that counts as deprecated, in signatures and in digests. */
export const DEPRECATED = "sha1";

const MORE = "http://www.w3.org/2001/04/xmldsig-more#";

/** All supported signature algorithms. None is symmetric, because certificates are public. */
export const SIGNATURE_ALGORITHMS: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  [`${NAMESPACES.signature}rsa-sha1`, { hash: "sha1", keyType: "rsa" }],
  [`${NAMESPACES.signature}dsa-sha1`, { hash: "sha1", keyType: "dsa" }],
  [`${MORE}rsa-sha256`, { hash: "sha256", keyType: "rsa" }],
  [`${MORE}rsa-sha384`, { hash: "sha384", keyType: "rsa" }],
  [`${MORE}rsa-sha512`, { hash: "sha512", keyType: "rsa" }],
]);

/** The hashes of all supported digest algorithms. */
export const DIGEST_ALGORITHMS: ReadonlyMap<string, string> = new Map([
  [`${NAMESPACES.signature}sha1`, "sha1"],
  [`${NAMESPACES.encryption}sha256`, "sha256"],
  [`${MORE}sha384`, "sha384"],
  [`${NAMESPACES.encryption}sha512`, "sha512"],
]);
