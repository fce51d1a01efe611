/**
 * Reads a provider's response to a login request. Everything used comes from the signed text.
 *
 * @module
 */

import type { XmlElement } from "libxml2-wasm";
import { boundedText } from "./bounded_text.ts";
import { checkSignature } from "./check_signature.ts";
import { requireFor } from "./conditions.ts";
import { decrypt, UNDECRYPTABLE } from "./decrypt.ts";
import {
  assertionsIn,
  isIssuer,
  requireAddressing,
  requireAssertionShape,
  requireShape,
} from "./envelope.ts";
import { type Identity, readIdentity } from "./identity.ts";
import { NAMESPACES } from "./names.ts";
import { Rejection, require, Unasked } from "./rejection.ts";
import type { ResponseRules } from "./response_rules.ts";
import { requireSuccess } from "./status.ts";
import { type Element, elementsIn, parseXml, treeOf, withXml } from "./xml.ts";

const { assertion: SAML } = NAMESPACES;

/**
 * The person who logged in. Throws {@link Rejection}, {@link Unasked} if the login began at the provider, or `Refusal` if
 * the provider itself reports a failure.
 */
export function readResponse(bytes: Uint8Array, rules: ResponseRules): Identity {
  const text = boundedText(bytes);
  using document = parseXml(text);
  const root = treeOf(document.root);
  requireShape(root, "Response");
  rules.schemas.require(document);
  requireAddressing(root, rules);
  requireSuccess(root);
  const signed = checkSignature(document.root, rules);
  require(signed !== undefined || !rules.security.wantMessagesSigned, "a response that is not signed");
  const response = signed === undefined ? root : withXml(signed, treeOf);
  const assertion = assertionIn(response, { node: document.root, isSigned: signed !== undefined, rules });
  const requestId = response.attributes.get("InResponseTo") ?? "";
  if (requestId === "") throw new Unasked();
  const { audience, destination: recipient, clock } = rules;
  requireFor(assertion, { audience, recipient, requestId, clock });
  return readIdentity(assertion, { requestId, rules });
}

/** The response that contains an assertion. */
interface Around {
  readonly node: XmlElement;
  readonly isSigned: boolean;
  readonly rules: ResponseRules;
}

/** The only assertion, from a signed text: its own, or that of its response. */
function assertionIn(response: Element, around: Around): Element {
  const [found, ...others] = assertionsIn(response);
  require(found !== undefined && others.length === 0, "a response without one assertion");
  const isEncrypted = found.name === "EncryptedAssertion";
  require(
    isEncrypted || !around.rules.security.wantAssertionsEncrypted,
    "an assertion that is not encrypted",
  );
  return isEncrypted ? decryptedAssertion(found, response, around) : plainAssertion(found, around);
}

function plainAssertion(found: Element, { node, isSigned, rules }: Around): Element {
  const [element] = elementsIn(node, SAML, "Assertion");
  const own = element && checkSignature(element, rules);
  return signedAssertion(found, { own, isSigned, rules });
}

/** Mistakes in a decrypted text must look like failed decryption: an attacker who cannot sign must learn nothing. */
function decryptedAssertion(
  encrypted: Element,
  response: Element,
  { isSigned, rules }: Around,
): Element {
  const bytes = decrypt(encrypted, rules);
  try {
    using document = parseXml(boundedText(bytes));
    const found = treeOf(document.root);
    requireAssertionShape(found, response);
    rules.schemas.require(document);
    return signedAssertion(found, { own: checkSignature(document.root, rules), isSigned, rules });
  } catch (error) {
    if (!(error instanceof Rejection) || isSigned) throw error;
    throw new Rejection(UNDECRYPTABLE);
  }
}

/** An unsigned assertion is covered by the signature of its response. */
function signedAssertion(
  found: Element,
  { own, isSigned, rules }: {
    readonly own: string | undefined;
    readonly isSigned: boolean;
    readonly rules: ResponseRules;
  },
): Element {
  const { wantAssertionsSigned } = rules.security;
  require(own !== undefined || !wantAssertionsSigned, "an assertion that is not signed");
  require(own !== undefined || isSigned, "a response without signature");
  return requireAssertion(own === undefined ? found : withXml(own, treeOf), rules);
}

function requireAssertion(assertion: Element, { issuer }: ResponseRules): Element {
  require(assertion.namespace === SAML && assertion.name === "Assertion", "a response without one assertion");
  require(assertion.attributes.get("Version") === "2.0", "an assertion of another version");
  const [named] = assertion.children;
  const isIts = named?.namespace === SAML && named.name === "Issuer" && isIssuer(named, issuer);
  require(isIts, "an assertion of another provider");
  return assertion;
}
