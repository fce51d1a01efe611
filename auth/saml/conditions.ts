/**
 * Checks the audience, the time and the request of an assertion.
 *
 * @module
 */

import { BEARER, NAMESPACES } from "./names.ts";
import { Expired, Rejection, require } from "./rejection.ts";
import { type Clock, requireInTime, timeIn } from "./times.ts";
import { childOf, childrenOf, type Element } from "./xml.ts";

/** The expected values of an assertion. */
export interface Purpose {
  /** The entity id of this service. */
  readonly audience: string;
  /** The address of this service for responses. */
  readonly recipient: string;
  /** The request that the response claims to answer. */
  readonly requestId: string;
  readonly clock: Clock;
}

const { assertion: SAML } = NAMESPACES;

/** Checks `Conditions`, `Subject` and `AuthnStatement`. Throws {@link Rejection}. */
export function requireFor(assertion: Element, purpose: Purpose): void {
  requireConditions(childOf(assertion, SAML, "Conditions"), purpose);
  requireConfirmation(childOf(assertion, SAML, "Subject"), purpose);
  const statements = childrenOf(assertion, SAML, "AuthnStatement");
  require(statements.length > 0, "an assertion that does not say that somebody logged in");
  for (const statement of statements) {
    const until = timeIn(statement, "SessionNotOnOrAfter");
    const { now, skew } = purpose.clock;
    if (until !== undefined && now - skew >= until) throw new Expired("a login whose session is over");
  }
}

function requireConditions(conditions: Element | undefined, { audience, clock }: Purpose): void {
  require(conditions !== undefined, "an assertion without conditions");
  requireInTime(conditions, "an assertion", clock);
  require(
    childrenOf(conditions, SAML, "Condition").length === 0,
    "an assertion with a condition that is not known",
  );
  const restrictions = childrenOf(conditions, SAML, "AudienceRestriction");
  require(restrictions.length > 0, "an assertion that does not say for whom it is");
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, SAML, "Audience").map(({ text }) => text);
    require(audiences.includes(audience), "an assertion for another service");
  }
}

/** One valid confirmation is sufficient; if none is valid, the first one's reason is reported. */
function requireConfirmation(subject: Element | undefined, purpose: Purpose): void {
  require(subject !== undefined, "an assertion without subject");
  const confirmations = childrenOf(subject, SAML, "SubjectConfirmation")
    .filter(({ attributes }) => attributes.get("Method") === BEARER);
  const reasons = confirmations.map((confirmation) => whyNot(confirmation, purpose));
  if (reasons.includes(undefined)) return;
  throw reasons[0] ?? new Rejection("an assertion without confirmation for its bearer");
}

function whyNot(confirmation: Element, purpose: Purpose): Rejection | undefined {
  try {
    requireData(childOf(confirmation, SAML, "SubjectConfirmationData"), purpose);
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

function requireData(data: Element | undefined, { recipient, requestId, clock }: Purpose): void {
  require(data !== undefined, "a confirmation without data");
  const { attributes } = data;
  require(attributes.get("Recipient") === recipient, "a confirmation for another recipient");
  require(attributes.get("InResponseTo") === requestId, "a confirmation for another request");
  require(attributes.has("NotOnOrAfter"), "a confirmation that is valid for ever");
  require(!attributes.has("NotBefore"), "a confirmation for later");
  requireInTime(data, "a confirmation", clock);
}
