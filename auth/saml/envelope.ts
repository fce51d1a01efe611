/**
 * Checks that apply to every message of a provider: destination, issuer, time, status, and a
 * shape in which nothing can be hidden.
 *
 * @module
 */

import type { XmlElement } from "libxml2-wasm";
import samlify from "samlify";
import { Expired, Refusal, require } from "@/plugins/kit/providers/login_failure.ts";
import { boundedText } from "./bounded_text.ts";
import { ENTITY_FORMAT, NAMESPACES, STATUS_PREFIX } from "./names.ts";
import type { MessageRules } from "./rules.ts";
import { childOf, childrenOf, type Element, everythingIn, parseXml, timeIn, treeOf } from "./xml.ts";

const { protocol: SAMLP, assertion: SAML, signature: DS } = NAMESPACES;

/**
 * Works with a message whose signature is not verified yet; everything here but times and status is checked.
 */
export function withMessage<Result>(
  bytes: Uint8Array,
  { name, destination, rules }: {
    readonly name: string;
    readonly destination: string;
    readonly rules: Pick<MessageRules, "schemas" | "issuer">;
  },
  work: (root: Element, node: XmlElement) => Result,
): Result {
  using document = parseXml(boundedText(bytes));
  const root = treeOf(document.root);
  requireShape(root, name);
  rules.schemas.require(document);
  requireAddressing(root, rules.issuer, destination);
  return work(root, document.root);
}

/**
 * Ids are unique; signatures are only in the message or its assertion, and assertions only in the message: a
 * message inside a message is an attack.
 */
export function requireShape(root: Element, name: string): void {
  require(root.namespace === SAMLP && root.name === name, `a message that is no ${name}`);
  requireNothingHidden(root, assertionsIn(root));
}

/** The same checks for an assertion that was encrypted in a message. */
export function requireAssertionShape(root: Element, around: Element): void {
  require(root.namespace === SAML && root.name === "Assertion", "something encrypted that is no assertion");
  requireNothingHidden(root, [root]);
  const taken = new Set([...everythingIn(around)].flatMap(idsOf));
  const isTaken = [...everythingIn(root)].flatMap(idsOf).some((id) => taken.has(id));
  require(!isTaken, "a message in which a name occurs twice");
}

function requireNothingHidden(root: Element, inside: readonly Element[]): void {
  const homes = new Set([root, ...inside]);
  const ids = new Set<string>();
  for (const element of everythingIn(root)) {
    for (const id of idsOf(element)) {
      require(!ids.has(id), "a message in which a name occurs twice");
      ids.add(id);
    }
    require(element === root || element.namespace !== SAMLP || !MESSAGES.test(element.name), NESTED);
    require(!isAssertion(element) || inside.includes(element), NESTED);
    const signatures = childrenOf(element, DS, "Signature").length;
    require(signatures <= (homes.has(element) ? 1 : 0), "a message with a signature in the wrong place");
  }
}

/** The assertions that are children of a message, encrypted or not. */
export function assertionsIn(root: Element): readonly Element[] {
  return root.children.filter(isAssertion);
}

/** Checks version, destination and issuer. */
function requireAddressing(root: Element, issuer: string, destination: string): void {
  require(root.attributes.get("Version") === "2.0", "a message of another version");
  const place = root.attributes.get("Destination");
  const isRight = place === destination || (place === undefined && mayLackDestination(root));
  require(isRight, "a message for another place");
  const named = childOf(root, SAML, "Issuer");
  require(named === undefined || isIssuer(named, issuer), "a message of another provider");
}

/**
 * The bindings allow a response without destination if only the assertion is signed,
 * because then its recipient counts.
 */
function mayLackDestination(root: Element): boolean {
  return root.name === "Response" && childrenOf(root, DS, "Signature").length === 0;
}

/** Whether an `Issuer` names an entity. */
export function isIssuer({ text, attributes, children }: Element, entityId: string): boolean {
  const format = attributes.get("Format") ?? ENTITY_FORMAT;
  return text === entityId && format === ENTITY_FORMAT && children.length === 0;
}

const NESTED = "a message with another one in it";
const MESSAGES = /(?:Request|Response|Query)$/;

function isAssertion({ namespace, name }: Element): boolean {
  return namespace === SAML && (name === "Assertion" || name === "EncryptedAssertion");
}

/** Every attribute that some library might read as the id of an element. */
function idsOf({ attributes }: Element): readonly string[] {
  return [...attributes].flatMap(([name, value]) => /^(?:\{.*\})?id$/i.test(name) ? [value] : []);
}

const { success: SUCCESS, ...FAILURES } = samlify.Constants.namespace.statusCode;
/** Status codes of the standard: no other text of a provider is shown. */
const CODES: readonly string[] = Object.values(FAILURES);

/** Throws {@link Refusal} unless the status is success. */
export function requireSuccess(root: Element): void {
  const status = childOf(root, SAMLP, "Status");
  const outer = status && childOf(status, SAMLP, "StatusCode");
  if (codeOf(outer) === SUCCESS) return;
  const inner = outer && childOf(outer, SAMLP, "StatusCode");
  const code = [inner, outer].map(codeOf).find((each) => CODES.includes(each));
  throw new Refusal(code?.slice(STATUS_PREFIX.length) ?? "an error");
}

function codeOf(code: Element | undefined): string {
  return code?.attributes.get("Value") ?? "";
}

/** Rejects an element outside its stated period of validity. */
export function requireInTime(element: Element, what: string, { now, skew }: MessageRules): void {
  const from = timeIn(element, "NotBefore");
  const until = timeIn(element, "NotOnOrAfter");
  require(from === undefined || now + skew >= from, `${what} that is not valid yet`);
  if (until !== undefined && now - skew >= until) throw new Expired(`${what} that has expired`);
}
