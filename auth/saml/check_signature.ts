/**
 * Verifies a signature in a message. The result is the signed text; the rest of the message must not be trusted. Keys
 * come from the configuration or the provider's metadata, never from the message.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { hash, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { XmlC14NMode, type XmlElement } from "libxml2-wasm";
import {
  DIGEST_ALGORITHMS,
  ENVELOPED,
  EXCLUSIVE_C14N,
  NAMESPACES,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
} from "./names.ts";
import { require } from "./rejection.ts";
import { attempt, childOf, childrenOf, type Element, elementsIn, treeOf, withXml } from "./xml.ts";

/** The rules for signatures. */
export interface SignatureRules {
  readonly keys: readonly KeyObject[];
  /** SHA-1 is refused. */
  readonly rejectDeprecated: boolean;
}

const { signature: DS } = NAMESPACES;

/**
 * Verifies the signature that is a child of an element, and removes it from the document. Undefined: the element has
 * none. Throws {@link Rejection} for an invalid one.
 */
export function checkSignature(element: XmlElement, rules: SignatureRules): string | undefined {
  const [node, ...others] = elementsIn(element, DS, "Signature");
  if (!node) return undefined;
  require(others.length === 0, "a message with several signatures in one place");
  const signature = treeOf(node);
  const [infoNode] = elementsIn(node, DS, "SignedInfo");
  only(signature, "SignedInfo");
  require(infoNode !== undefined && childrenOf(signature, DS, "Object").length === 0, MISSHAPED);
  const signedInfo = canonical(infoNode, []);
  // Reads the canonical text that is verified, not its source.
  const info = withXml(signedInfo, treeOf);
  // Prefixes would have to be looked up in the whole message before it is authenticated; real signatures do not need them
  // here.
  require(prefixesIn(only(info, "CanonicalizationMethod")).length === 0, MISSHAPED);
  const reference = readReference(info, element);
  const algorithm = signatureAlgorithm(only(info, "SignatureMethod"), rules);
  requireVerified(signedInfo, { value: bytesIn(only(signature, "SignatureValue")), algorithm, rules });
  node.remove();
  const signed = canonical(element, reference.prefixes);
  requireDigest(signed, reference, rules);
  return signed;
}

/** The signature algorithm with this name. Throws {@link Rejection} for a forbidden one. */
export function allowedAlgorithm(
  name: string,
  { rejectDeprecated }: Pick<SignatureRules, "rejectDeprecated">,
): SignatureAlgorithm {
  const algorithm = SIGNATURE_ALGORITHMS.get(name);
  require(algorithm !== undefined, "a signature with an algorithm that is not accepted");
  require(!(algorithm.isDeprecated && rejectDeprecated), "a signature with a deprecated algorithm");
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

function signatureAlgorithm(method: Element, rules: SignatureRules): SignatureAlgorithm {
  require(method.children.length === 0, MISSHAPED);
  return allowedAlgorithm(algorithmOf(method), rules);
}

function requireVerified(
  signedInfo: string,
  { value, algorithm, rules: { keys } }: {
    readonly value: Uint8Array;
    readonly algorithm: SignatureAlgorithm;
    readonly rules: SignatureRules;
  },
): void {
  const isVerified = isSignedBy(keys, Buffer.from(signedInfo), { algorithm, value });
  require(isVerified, BY_NOBODY);
}

/** Distinguishes a signature that a new key may have made from all other reasons. */
export const BY_NOBODY = "a signature that none of the provider's keys has made";

function requireDigest(
  signed: string,
  { digestMethod, digest }: Reference,
  { rejectDeprecated }: SignatureRules,
): void {
  const algorithm = DIGEST_ALGORITHMS.get(digestMethod);
  require(algorithm !== undefined, "a signature with a digest that is not accepted");
  require(!(algorithm.isDeprecated && rejectDeprecated), "a signature with a deprecated digest");
  const computed = hash(algorithm.hash, Buffer.from(signed), "buffer");
  const isSame = computed.length === digest.length && timingSafeEqual(computed, digest);
  require(isSame, "a message that was changed after it was signed");
}

function canonical(element: XmlElement, prefixes: readonly string[]): string {
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
