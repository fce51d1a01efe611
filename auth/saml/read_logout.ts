/**
 * Reads a provider's messages about logging out.
 *
 * @module
 */

import { Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import { decryptNameId, nameIdOf } from "./assertion.ts";
import type { Incoming } from "./bindings.ts";
import { boundedText } from "./bounded_text.ts";
import { isIssuer, requireInTime, requireShape, requireSuccess, withMessage } from "./envelope.ts";
import { NAMESPACES } from "./names.ts";
import type { MessageRules } from "./rules.ts";
import { checkSignature } from "./signature.ts";
import { childOf, childrenOf, type Element, timeIn, treeOf, withXml } from "./xml.ts";

/** The login that a provider asks to end. */
export interface LogoutOrder {
  /** The request's id. */
  readonly request: string;
  readonly nameId: string;
  /** Empty: all logins of that person. */
  readonly sessionIndexes: readonly string[];
}

const { assertion: SAML, protocol: SAMLP } = NAMESPACES;

/** Longest validity of a request, in milliseconds. */
const LONGEST = 3_600_000;

/** Reads a request, which must be signed. Throws {@link Rejection}. */
export function readLogoutRequest(message: Incoming, rules: MessageRules): LogoutOrder {
  const { root, isSigned } = readMessage(message, "LogoutRequest", rules);
  require(isSigned, "a request that is not signed");
  requireFresh(root, rules);
  return {
    request: root.attributes.get("ID") ?? "",
    nameId: nameIn(root, rules),
    sessionIndexes: childrenOf(root, SAMLP, "SessionIndex").map(({ text }) => text),
  };
}

/** The id of a refused request, unverified; undefined unless the text is a request of the provider. */
export function nameOfRefused({ bytes }: Incoming, issuer: string): string | undefined {
  try {
    const root = withXml(boundedText(bytes), treeOf);
    requireShape(root, "LogoutRequest");
    const named = childOf(root, SAML, "Issuer");
    const id = root.attributes.get("ID") ?? "";
    return named && isIssuer(named, issuer) && NAME.test(id) ? id : undefined;
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
}

/** Ids of messages; longer ones than any provider writes are not repeated. */
const NAME = /^[A-Za-z_][\w.-]{0,255}$/;

/**
 * Reads the answer to a request of this service; it changes nothing, so it need not be signed. Throws {@link
 * Rejection}, or `Refusal` if the provider could not end the login.
 */
export function readLogoutResponse(message: Incoming, rules: MessageRules): void {
  requireSuccess(readMessage(message, "LogoutResponse", rules).root);
}

/** A message; if it is signed, only the signed text. */
function readMessage(
  { bytes, isSigned }: Incoming,
  name: string,
  rules: MessageRules,
): { readonly root: Element; readonly isSigned: boolean } {
  return withMessage(bytes, { name, destination: rules.sp.logoutUrl, rules }, (root, node) => {
    require(childOf(root, SAML, "Issuer") !== undefined, "a message of nobody");
    const isQuerySigned = isSigned(rules);
    const signed = checkSignature(node, rules);
    if (signed === undefined) return { root, isSigned: isQuerySigned };
    return { root: withXml(signed, treeOf), isSigned: true };
  });
}

/** Requests need not state an expiry. */
function requireFresh(root: Element, rules: MessageRules): void {
  requireInTime(root, "a request", rules);
  const issued = timeIn(root, "IssueInstant") ?? 0;
  require(issued <= rules.now + rules.skew, "a request that is not valid yet");
  require(issued > rules.now - rules.skew - LONGEST, "a request that has expired");
}

function nameIn(root: Element, rules: MessageRules): string {
  const encrypted = childOf(root, SAML, "EncryptedID");
  if (encrypted) return decryptNameId(encrypted, rules).value;
  const plain = childOf(root, SAML, "NameID");
  require(plain !== undefined, "a request without NameID");
  return nameIdOf(plain).value;
}
