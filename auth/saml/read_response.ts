/**
 * Reads a provider's response to a login request. Everything used comes from the signed text.
 *
 * @module
 */

import type { XmlElement } from "libxml2-wasm";
import { OtherKey, Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import { type Identity, readAssertion } from "./assertion.ts";
import { boundedText } from "./bounded_text.ts";
import { decrypt, UNDECRYPTABLE } from "./encryption.ts";
import { assertionsIn, isIssuer, requireAssertionShape, requireSuccess, withMessage } from "./envelope.ts";
import { NAMESPACES } from "./names.ts";
import type { MessageRules } from "./rules.ts";
import { checkSignature } from "./signature.ts";
import { type Element, elementsIn, parseXml, treeOf, withXml } from "./xml.ts";

const { assertion: SAML } = NAMESPACES;

/** This service has not requested the response: the login began at the provider. */
export class Unasked extends Rejection {
  override readonly counts = false;
  override readonly message = "a response that nobody asked for";
}

/**
 * The person who logged in. Throws {@link Rejection}, {@link Unasked} if the login began at the provider, or
 * `Refusal` if the provider itself reports a failure.
 */
export function readResponse(bytes: Uint8Array, rules: MessageRules): Identity {
  return withMessage(bytes, { name: "Response", destination: rules.sp.acsUrl, rules }, (root, node) => {
    requireSuccess(root);
    const signed = checkSignature(node, rules);
    require(signed !== undefined || !rules.security.wantMessagesSigned, "a response that is not signed");
    const response = signed === undefined ? root : withXml(signed, treeOf);
    const assertion = assertionIn(response, { node, isSigned: signed !== undefined, rules });
    const requestId = response.attributes.get("InResponseTo") ?? "";
    if (requestId === "") throw new Unasked();
    return readAssertion(assertion, requestId, rules);
  });
}

/** The response that contains an assertion. */
interface Around {
  readonly node: XmlElement;
  readonly isSigned: boolean;
  readonly rules: MessageRules;
}

/** The only assertion, from a signed text: its own, or that of its response. */
function assertionIn(response: Element, around: Around): Element {
  const [found, ...others] = assertionsIn(response);
  require(found !== undefined && others.length === 0, "a response without one assertion");
  if (found.name === "EncryptedAssertion") return decryptedAssertion(found, response, around);
  require(!around.rules.security.wantAssertionsEncrypted, "an assertion that is not encrypted");
  const [element] = elementsIn(around.node, SAML, "Assertion");
  return signedAssertion(found, element && checkSignature(element, around.rules), around);
}

/**
 * Mistakes in a decrypted text must look like failed decryption: an attacker
 * who cannot sign must learn nothing.
 */
function decryptedAssertion(encrypted: Element, response: Element, around: Around): Element {
  const { isSigned, rules } = around;
  const bytes = decrypt(encrypted, rules);
  try {
    using document = parseXml(boundedText(bytes));
    const found = treeOf(document.root);
    requireAssertionShape(found, response);
    rules.schemas.require(document);
    return signedAssertion(found, checkSignature(document.root, rules), around);
  } catch (error) {
    if (!(error instanceof Rejection) || isSigned) throw error;
    throw new OtherKey(UNDECRYPTABLE);
  }
}

/** An assertion without a signed text of its own is covered by the signature of its response. */
function signedAssertion(found: Element, own: string | undefined, { isSigned, rules }: Around): Element {
  const { wantAssertionsSigned } = rules.security;
  require(own !== undefined || !wantAssertionsSigned, "an assertion that is not signed");
  require(own !== undefined || isSigned, "a response without signature");
  const assertion = own === undefined ? found : withXml(own, treeOf);
  require(assertion.namespace === SAML && assertion.name === "Assertion", "a response without one assertion");
  require(assertion.attributes.get("Version") === "2.0", "an assertion of another version");
  const [named] = assertion.children;
  const isIts = named?.namespace === SAML && named.name === "Issuer" && isIssuer(named, rules.issuer);
  require(isIts, "an assertion of another provider");
  return assertion;
}
