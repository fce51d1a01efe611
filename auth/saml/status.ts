/**
 * Reads the status of a provider's message.
 *
 * @module
 */

import { NAMESPACES, STATUS_PREFIX } from "./names.ts";
import { Refusal } from "./rejection.ts";
import { childOf, type Element } from "./xml.ts";

/** Status codes of the standard, without prefix: no other text of a provider is shown. */
const CODES: readonly string[] = [
  "Requester",
  "Responder",
  "VersionMismatch",
  "AuthnFailed",
  "InvalidAttrNameOrValue",
  "InvalidNameIDPolicy",
  "NoAuthnContext",
  "NoAvailableIDP",
  "NoPassive",
  "NoSupportedIDP",
  "PartialLogout",
  "ProxyCountExceeded",
  "RequestDenied",
  "RequestUnsupported",
  "RequestVersionDeprecated",
  "RequestVersionTooHigh",
  "RequestVersionTooLow",
  "ResourceNotRecognized",
  "TooManyResponses",
  "UnknownAttrProfile",
  "UnknownPrincipal",
  "UnsupportedBinding",
];

/** Throws {@link Refusal} unless the status is success. */
export function requireSuccess(root: Element): void {
  const status = childOf(root, NAMESPACES.protocol, "Status");
  const outer = status && childOf(status, NAMESPACES.protocol, "StatusCode");
  if (codeOf(outer) === `${STATUS_PREFIX}Success`) return;
  const inner = outer && childOf(outer, NAMESPACES.protocol, "StatusCode");
  const code = [inner, outer].map((each) => codeOf(each).replace(STATUS_PREFIX, ""));
  throw new Refusal(code.find((each) => CODES.includes(each)) ?? "an error");
}

function codeOf(code: Element | undefined): string {
  return code?.attributes.get("Value") ?? "";
}
