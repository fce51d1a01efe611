/**
 * Enveloped XML signatures. A test can ask for wrong ones.
 *
 * @module
 */

import { createHmac, hash, type KeyObject, sign } from "node:crypto";
import type { Identity } from "./certificate.ts";
import { element, root } from "./xml.ts";

/** Removes the signature from a document. */
export const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/** Exclusive canonicalization, without comments. */
export const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";

/** Algorithms of signatures by their short name. */
export const SIGNATURES = {
  "dsa-sha1": "http://www.w3.org/2000/09/xmldsig#dsa-sha1",
  "rsa-sha1": "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
  "rsa-sha256": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "rsa-sha384": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
  "rsa-sha512": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "hmac-sha1": "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
  "hmac-sha256": "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
} as const;

/** Algorithms of digests by their short name. */
export const DIGESTS = {
  sha1: "http://www.w3.org/2000/09/xmldsig#sha1",
  sha256: "http://www.w3.org/2001/04/xmlenc#sha256",
  sha384: "http://www.w3.org/2001/04/xmldsig-more#sha384",
  sha512: "http://www.w3.org/2001/04/xmlenc#sha512",
} as const;

/** How an element is signed. */
export interface SignOptions {
  readonly signature?: keyof typeof SIGNATURES;
  readonly digest?: keyof typeof DIGESTS;
  /** Signs in place of the private key: the secret of an HMAC. */
  readonly secret?: string;
  /** XML of all transforms, instead of those that SAML allows. */
  readonly transforms?: string;
  /** How `SignedInfo` says that it is canonicalised. */
  readonly canonicalization?: string;
  /** XML of references instead of the one to the element. */
  readonly references?: string;
  /** XML inside `KeyInfo`; absent without one. */
  readonly keyInfo?: string;
  /** The digested text in place of the element. */
  readonly digested?: string;
}

/** An element, written in canonical form, with its signature behind its issuer. */
export function signElement(xml: string, key: Identity, options: SignOptions = {}): string {
  const signature = signatureOf(xml, key, options);
  const place = xml.indexOf("</saml:Issuer>") + "</saml:Issuer>".length;
  return xml.slice(0, place) + signature + xml.slice(place);
}

/** The signature of an element that is written in canonical form. */
export function signatureOf(xml: string, key: Identity, options: SignOptions = {}): string {
  const info = signedInfo(xml, options);
  // Canonical form declares the namespace here, the document does so one element above.
  const canonical = info.replace(
    "<ds:SignedInfo>",
    '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">',
  );
  const value = valueOf(canonical, key.privateKey, options);
  const keyInfo = options.keyInfo === undefined ? "" : element("ds:KeyInfo", {}, options.keyInfo);
  return root("ds:Signature", {}, info, element("ds:SignatureValue", {}, value), keyInfo);
}

/** The certificate of a key in the form of `KeyInfo`. */
export function certificateInfo({ certificate }: Pick<Identity, "certificate">): string {
  return element("ds:X509Data", {}, element("ds:X509Certificate", {}, certificate));
}

/** A reference to an element, with its digest. */
export function referenceTo(uri: string, digested: string, options: SignOptions = {}): string {
  const digest = options.digest ?? "sha256";
  return element(
    "ds:Reference",
    { URI: uri },
    element("ds:Transforms", {}, options.transforms ?? transform(ENVELOPED) + transform(EXCLUSIVE)),
    element("ds:DigestMethod", { Algorithm: DIGESTS[digest] }),
    element("ds:DigestValue", {}, hash(digest, digested, "base64")),
  );
}

/** One transform of a reference. */
export function transform(algorithm: string, content = ""): string {
  return element("ds:Transform", { Algorithm: algorithm }, content);
}

/** The ID of an element. */
export function idOf(xml: string): string {
  const [, id = ""] = / ID="([^"]*)"/.exec(xml) ?? [];
  return id;
}

function signedInfo(xml: string, options: SignOptions): string {
  const { signature = "rsa-sha256", canonicalization = EXCLUSIVE, digested = xml } = options;
  return element(
    "ds:SignedInfo",
    {},
    element("ds:CanonicalizationMethod", { Algorithm: canonicalization }),
    element("ds:SignatureMethod", { Algorithm: SIGNATURES[signature] }),
    options.references ?? referenceTo(`#${idOf(xml)}`, digested, options),
  );
}

function valueOf(
  canonical: string,
  key: KeyObject,
  { signature = "rsa-sha256", secret }: SignOptions,
): string {
  const algorithm = signature.replace(/^\w+-/, "");
  if (secret !== undefined) return createHmac(algorithm, secret).update(canonical).digest("base64");
  const signing = { key, dsaEncoding: "ieee-p1363" } as const;
  return sign(algorithm, new TextEncoder().encode(canonical), signing).toString("base64");
}
