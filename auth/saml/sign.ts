/**
 * Signs messages and metadata of this service.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { hash, type KeyObject, sign } from "node:crypto";
import { XmlC14NMode } from "libxml2-wasm";
import { DIGEST_ALGORITHMS, ENVELOPED, EXCLUSIVE_C14N, NAMESPACES, SIGNATURE_ALGORITHMS } from "./names.ts";
import { withXml } from "./xml.ts";

/** A key with its algorithms, by the names of the standard. */
export interface Signer {
  readonly key: KeyObject;
  /** In base64, for recipients that read it from the message. */
  readonly certificate?: string;
  readonly signatureAlgorithm: string;
  readonly digestAlgorithm: string;
}

/** The signature of a text, in base64. */
export function signatureOf(data: string, { key, signatureAlgorithm }: Signer): string {
  const algorithm = SIGNATURE_ALGORITHMS.get(signatureAlgorithm);
  if (!algorithm) throw new Error(`There is no signature algorithm ${signatureAlgorithm}`);
  return sign(algorithm.hash, Buffer.from(data), { key, dsaEncoding: "ieee-p1363" }).toString("base64");
}

/** Inserts a signature into a document with an `ID`, at the place that the standard requires: after the first `after`. */
export function signDocument(xml: string, after: string, signer: Signer): string {
  const at = xml.indexOf(after);
  if (at < 0) throw new Error(`There is no ${after} to put a signature behind`);
  const place = at + after.length;
  return xml.slice(0, place) + signatureElement(xml, signer) + xml.slice(place);
}

function signatureElement(xml: string, signer: Signer): string {
  const info = signedInfo(xml, signer);
  const keyInfo = signer.certificate === undefined
    ? ""
    : `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${signer.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  return `<ds:Signature xmlns:ds="${NAMESPACES.signature}">${info}` +
    `<ds:SignatureValue>${signatureOf(info, signer)}</ds:SignatureValue>${keyInfo}</ds:Signature>`;
}

/** Written in its canonical form, so that it can be signed without canonicalisation. */
function signedInfo(xml: string, { signatureAlgorithm, digestAlgorithm }: Signer): string {
  const digest = DIGEST_ALGORITHMS.get(digestAlgorithm);
  if (!digest) throw new Error(`There is no digest algorithm ${digestAlgorithm}`);
  const { id, canonical } = withXml(xml, (root) => ({
    id: root.attr("ID")?.content ?? "",
    canonical: root.canonicalizeToString({ mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0 }),
  }));
  return `<ds:SignedInfo xmlns:ds="${NAMESPACES.signature}">` +
    method("CanonicalizationMethod", EXCLUSIVE_C14N) +
    method("SignatureMethod", signatureAlgorithm) +
    `<ds:Reference URI="#${id}"><ds:Transforms>${method("Transform", ENVELOPED)}` +
    `${method("Transform", EXCLUSIVE_C14N)}</ds:Transforms>${method("DigestMethod", digestAlgorithm)}` +
    `<ds:DigestValue>${hash(digest.hash, Buffer.from(canonical), "base64")}</ds:DigestValue>` +
    `</ds:Reference></ds:SignedInfo>`;
}

function method(name: string, algorithm: string): string {
  return `<ds:${name} Algorithm="${algorithm}"></ds:${name}>`;
}
