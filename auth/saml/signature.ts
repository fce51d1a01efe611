/**
 * Verifies signatures in messages, and signs messages and metadata of this service. The result of verifying
 * is the signed text; the rest of the message must not be trusted.
 *
 * @module
 */

import { XmlC14NMode, type XmlElement } from "libxml2-wasm";
import { Buffer } from "node:buffer";
import { hash, type KeyObject, sign, timingSafeEqual, verify } from "node:crypto";
import { resolve } from "node:path";
import { OtherKey, require } from "@/plugins/kit/providers/login_failure.ts";
import { base64Of, readCertificate, readPrivateKey } from "./certificates.ts";
import {
  DEPRECATED,
  DIGEST_ALGORITHMS,
  ENVELOPED,
  EXCLUSIVE_C14N,
  NAMESPACES,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
} from "./names.ts";
import type { MessageRules } from "./rules.ts";
import type { MetadataFiles, SecuritySettings } from "./security_settings.ts";
import type { ProviderSettings } from "./settings.ts";
import { attempt, childOf, childrenOf, type Element, elementsIn, treeOf, withXml } from "./xml.ts";

/** The rules for signatures. */
export type SignatureRules = Pick<MessageRules, "keys" | "security">;

const { signature: DS } = NAMESPACES;

/**
 * Verifies the signature that is a child of an element, and removes it from the document. Undefined: the
 * element has none. Throws {@link Rejection} for an invalid one.
 */
export function checkSignature(element: XmlElement, rules: SignatureRules): string | undefined {
  const [node] = elementsIn(element, DS, "Signature");
  if (!node) return undefined;
  const signature = treeOf(node);
  const [infoNode] = elementsIn(node, DS, "SignedInfo");
  only(signature, "SignedInfo");
  require(infoNode !== undefined && childrenOf(signature, DS, "Object").length === 0, MISSHAPED);
  const signedInfo = canonical(infoNode);
  // Reads the canonical text that is verified, not its source.
  const info = withXml(signedInfo, treeOf);
  // Prefixes would have to be looked up in the whole message before it is authenticated; real
  // signatures do not need them here.
  require(prefixesIn(only(info, "CanonicalizationMethod")).length === 0, MISSHAPED);
  const reference = readReference(info, element);
  const method = only(info, "SignatureMethod");
  require(method.children.length === 0, MISSHAPED);
  const algorithm = allowedAlgorithm(algorithmOf(method), rules);
  const value = bytesIn(only(signature, "SignatureValue"));
  if (!isSignedBy(rules.keys, Buffer.from(signedInfo), { algorithm, value })) throw new OtherKey(BY_NOBODY);
  node.remove();
  const signed = canonical(element, reference.prefixes);
  requireDigest(signed, reference, rules);
  return signed;
}

/** The signature algorithm with this name. Throws {@link Rejection} for a forbidden one. */
export function allowedAlgorithm(
  name: string,
  { security: { rejectDeprecatedAlgorithm } }: Pick<SignatureRules, "security">,
): SignatureAlgorithm {
  const algorithm = SIGNATURE_ALGORITHMS.get(name);
  require(algorithm !== undefined, "a signature with an algorithm that is not accepted");
  const isRefused = rejectDeprecatedAlgorithm && algorithm.hash === DEPRECATED;
  require(!isRefused, "a signature with a deprecated algorithm");
  return algorithm;
}

/** Whether one of the keys signed the data. DSA signatures are two concatenated numbers. */
export function isSignedBy(
  keys: readonly KeyObject[],
  data: Uint8Array,
  { algorithm, value }: { readonly algorithm: SignatureAlgorithm; readonly value: Uint8Array },
): boolean {
  const fitting = keys.filter(({ asymmetricKeyType }) => asymmetricKeyType === algorithm.keyType);
  return fitting.some((key) => verify(algorithm.hash, data, { key, dsaEncoding: "ieee-p1363" }, value));
}

const MISSHAPED = "a signature that has not the one form that is accepted";

/** The reference of a signature. */
interface Reference {
  readonly digestMethod: string;
  readonly digest: Uint8Array;
  readonly prefixes: readonly string[];
}

/** The only reference must point to the element that contains the signature, without the signature. */
function readReference(info: Element, element: XmlElement): Reference {
  const reference = only(info, "Reference");
  const id = element.attr("ID")?.content ?? "";
  require(id !== "" && reference.attributes.get("URI") === `#${id}`, "a signature of something else");
  const transforms = childrenOf(only(reference, "Transforms"), DS, "Transform");
  const [enveloped, exclusive, ...others] = transforms;
  require(enveloped !== undefined && exclusive !== undefined && others.length === 0, MISSHAPED);
  require(algorithmOf(enveloped) === ENVELOPED && enveloped.children.length === 0, MISSHAPED);
  return {
    digestMethod: algorithmOf(only(reference, "DigestMethod")),
    digest: bytesIn(only(reference, "DigestValue")),
    prefixes: prefixesIn(exclusive),
  };
}

/** The message about a signature that a new key may have made. */
export const BY_NOBODY = "a signature that none of the provider's keys has made";

function requireDigest(
  signed: string,
  { digestMethod, digest }: Reference,
  { security: { rejectDeprecatedAlgorithm } }: SignatureRules,
): void {
  const name = DIGEST_ALGORITHMS.get(digestMethod);
  require(name !== undefined, "a signature with a digest that is not accepted");
  require(!(rejectDeprecatedAlgorithm && name === DEPRECATED), "a signature with a deprecated digest");
  const computed = hash(name, Buffer.from(signed), "buffer");
  const isSame = computed.length === digest.length && timingSafeEqual(computed, digest);
  require(isSame, "a message that was changed after it was signed");
}

function canonical(element: XmlElement, prefixes: readonly string[] = []): string {
  return attempt(
    "a message that has no canonical form",
    () =>
      element.canonicalizeToString({
        mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0,
        ...(prefixes.length === 0 ? {} : { inclusiveNamespacePrefixes: [...prefixes] }),
      }),
  );
}

/** Each prefix is looked up in every element. */
const MOST_PREFIXES = 16;

/** Exclusive canonicalisation, and the prefixes that it treats like the inclusive one. */
function prefixesIn(method: Element): readonly string[] {
  require(algorithmOf(method) === EXCLUSIVE_C14N, MISSHAPED);
  const [inclusive, ...others] = method.children;
  if (!inclusive) return [];
  const isKnown = inclusive.name === "InclusiveNamespaces" && inclusive.namespace === EXCLUSIVE_C14N;
  require(isKnown && others.length === 0, MISSHAPED);
  const list = inclusive.attributes.get("PrefixList")?.split(/\s+/).filter((prefix) => prefix !== "") ?? [];
  require(list.length <= MOST_PREFIXES, MISSHAPED);
  return list;
}

function only(parent: Element, name: string): Element {
  const child = childOf(parent, DS, name);
  require(child !== undefined, MISSHAPED);
  return child;
}

function algorithmOf(element: Element): string {
  return element.attributes.get("Algorithm") ?? "";
}

function bytesIn({ text, children }: Element): Uint8Array {
  const compact = text.replace(/[\t\n\r ]/g, "");
  const bytes = Buffer.from(compact, "base64");
  require(children.length === 0 && bytes.toString("base64") === compact, MISSHAPED);
  return bytes;
}

/** A key with its algorithms, by the names of the standard. */
export interface Signer {
  readonly key: KeyObject;
  /** In base64, for recipients that read it from the message. */
  readonly certificate: string | undefined;
  readonly signatureAlgorithm: string;
  readonly digestAlgorithm: string;
}

/** The signer of messages, if the configuration requires signatures. */
export function signerIf(isWanted: boolean, { sp, security }: ProviderSettings): Signer | undefined {
  if (!isWanted || !sp.key) return undefined;
  const { signatureAlgorithm, digestAlgorithm } = security;
  const certificate = sp.certificate && base64Of(sp.certificate);
  return { key: sp.key, certificate, signatureAlgorithm, digestAlgorithm };
}

/** Reads the files of `signMetadata`. The message of its error is for the operator. */
export async function readSigner(
  { keyFileName, certFileName }: MetadataFiles,
  { signatureAlgorithm, digestAlgorithm }: SecuritySettings,
  directory: string,
): Promise<Signer> {
  const key = readPrivateKey(await textOf(keyFileName, directory));
  const certificate = readCertificate(await textOf(certFileName, directory));
  if (!certificate.checkPrivateKey(key)) throw new Error("Expected the key and the certificate of one pair");
  const wanted = SIGNATURE_ALGORITHMS.get(signatureAlgorithm)?.keyType;
  if (key.asymmetricKeyType !== wanted) throw new Error(`Expected a key that fits signatureAlgorithm`);
  return { key, certificate: base64Of(certificate), signatureAlgorithm, digestAlgorithm };
}

async function textOf(file: string, directory: string): Promise<string> {
  try {
    return await Deno.readTextFile(resolve(directory, file));
  } catch (error) {
    if (error instanceof Error) throw new Error(`Cannot read "${file}": ${error.message}`);
    throw error;
  }
}

/** The signature of a text, in base64. */
export function signatureOf(data: string, { key, signatureAlgorithm }: Signer): string {
  const algorithm = SIGNATURE_ALGORITHMS.get(signatureAlgorithm);
  if (!algorithm) throw new Error(`There is no signature algorithm ${signatureAlgorithm}`);
  return sign(algorithm.hash, Buffer.from(data), { key, dsaEncoding: "ieee-p1363" }).toString("base64");
}

/**
 * Inserts a signature into a document with an `ID`, at the place that the standard
 * requires: after the first `after`.
 */
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
  const { id, text } = withXml(xml, (root) => ({
    id: root.attr("ID")?.content ?? "",
    text: canonical(root),
  }));
  return `<ds:SignedInfo xmlns:ds="${NAMESPACES.signature}">` +
    method("CanonicalizationMethod", EXCLUSIVE_C14N) +
    method("SignatureMethod", signatureAlgorithm) +
    `<ds:Reference URI="#${id}"><ds:Transforms>${method("Transform", ENVELOPED)}` +
    `${method("Transform", EXCLUSIVE_C14N)}</ds:Transforms>${method("DigestMethod", digestAlgorithm)}` +
    `<ds:DigestValue>${hash(digest, Buffer.from(text), "base64")}</ds:DigestValue>` +
    `</ds:Reference></ds:SignedInfo>`;
}

function method(name: string, algorithm: string): string {
  return `<ds:${name} Algorithm="${algorithm}"></ds:${name}>`;
}
