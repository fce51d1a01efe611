/**
 * Checks the audience, the time and the request of an assertion, and reads the identity in it.
 *
 * @module
 */

import { Expired, Rejection, require } from "@/plugins/kit/login_failure.ts";
import { boundedText } from "./bounded_text.ts";
import { decrypt } from "./encryption.ts";
import { requireInTime } from "./envelope.ts";
import type { NameId } from "./messages.ts";
import { BEARER, NAMESPACES } from "./names.ts";
import type { MessageRules } from "./rules.ts";
import { childOf, childrenOf, type Element, parseXml, timeIn, treeOf } from "./xml.ts";

/** A person who logged in at a provider. */
export interface Identity {
  /** The assertion's id. */
  readonly assertionId: string;
  /** The id of the answered request. */
  readonly requestId: string;
  readonly nameId?: NameId;
  readonly attributes: readonly Attribute[];
  /** The provider's id of the login. */
  readonly sessionIndex?: string;
  /** End of the provider's login, in milliseconds since 1970. */
  readonly endsAt?: number;
  /** End of the assertion's validity, in milliseconds since 1970; until then it could be replayed. */
  readonly until: number;
}

/** An attribute with its values. */
export interface Attribute {
  readonly name: string;
  readonly friendlyName?: string;
  readonly values: readonly string[];
}

const { assertion: SAML } = NAMESPACES;

/**
 * Reads a verified assertion in the response to a request. Throws {@link Rejection} if a required part is missing or not
 * meant for this service and this moment.
 */
export function readAssertion(assertion: Element, requestId: string, rules: MessageRules): Identity {
  requireFor(assertion, { rules, requestId });
  const nameId = readNameId(childOf(assertion, SAML, "Subject"), rules);
  const statements = childrenOf(assertion, SAML, "AttributeStatement");
  require(statements.length > 0 || !rules.security.wantAttributeStatement, "an assertion without attributes");
  const logins = childrenOf(assertion, SAML, "AuthnStatement");
  const sessionIndex = logins.map(({ attributes }) => attributes.get("SessionIndex"))
    .find((index) => index !== undefined);
  const ends = logins.flatMap((login) => timeIn(login, "SessionNotOnOrAfter") ?? []);
  return {
    assertionId: assertion.attributes.get("ID") ?? "",
    requestId,
    ...(nameId ? { nameId } : {}),
    attributes: statements.flatMap((statement) =>
      childrenOf(statement, SAML, "Attribute").map(readAttribute)
    ),
    ...(sessionIndex === undefined ? {} : { sessionIndex }),
    // Adds the skew, as at the login: clocks may differ.
    ...(ends.length === 0 ? {} : { endsAt: Math.min(...ends) + rules.clock.skew }),
    until: latestOf(assertion) + rules.clock.skew,
  };
}

/** The response that contains an assertion. */
interface Purpose {
  readonly rules: MessageRules;
  /** The request that the response claims to answer. */
  readonly requestId: string;
}

function requireFor(assertion: Element, purpose: Purpose): void {
  requireConditions(childOf(assertion, SAML, "Conditions"), purpose);
  requireConfirmation(childOf(assertion, SAML, "Subject"), purpose);
  const statements = childrenOf(assertion, SAML, "AuthnStatement");
  require(statements.length > 0, "an assertion that does not say that somebody logged in");
  for (const statement of statements) {
    const until = timeIn(statement, "SessionNotOnOrAfter");
    const { now, skew } = purpose.rules.clock;
    if (until !== undefined && now - skew >= until) throw new Expired("a login whose session is over");
  }
}

function requireConditions(conditions: Element | undefined, { rules: { sp, clock } }: Purpose): void {
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
    require(audiences.includes(sp.entityId), "an assertion for another service");
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

function requireData(data: Element | undefined, { rules: { sp, clock }, requestId }: Purpose): void {
  require(data !== undefined, "a confirmation without data");
  const { attributes } = data;
  require(attributes.get("Recipient") === sp.acsUrl, "a confirmation for another recipient");
  require(attributes.get("InResponseTo") === requestId, "a confirmation for another request");
  require(attributes.has("NotOnOrAfter"), "a confirmation that is valid for ever");
  require(!attributes.has("NotBefore"), "a confirmation for later");
  requireInTime(data, "a confirmation", clock);
}

/** A NameID with its attributes. */
export function nameIdOf({ text, attributes, children }: Element): NameId {
  require(children.length === 0, "a NameID that is no text");
  const optional = { format: "Format", nameQualifier: "NameQualifier", spNameQualifier: "SPNameQualifier" };
  const found = Object.entries(optional).flatMap(([key, name]) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [[key, value]];
  });
  return { value: text, ...Object.fromEntries(found) };
}

/** The NameID in an `EncryptedID`. */
export function decryptNameId(
  encrypted: Element,
  rules: Pick<MessageRules, "schemas" | "sp" | "security">,
): NameId {
  using document = parseXml(boundedText(decrypt(encrypted, rules)));
  rules.schemas.require(document);
  const root = treeOf(document.root);
  require(root.namespace === SAML && root.name === "NameID", "something encrypted that is no NameID");
  return nameIdOf(root);
}

function readNameId(subject: Element | undefined, rules: MessageRules): NameId | undefined {
  const plain = subject && childOf(subject, SAML, "NameID");
  const encrypted = subject && childOf(subject, SAML, "EncryptedID");
  require(plain === undefined || !rules.security.wantNameIdEncrypted, "a NameID that is not encrypted");
  const isThere = plain !== undefined || encrypted !== undefined;
  require(
    isThere || !(rules.security.wantNameId || rules.security.wantNameIdEncrypted),
    "an assertion without NameID",
  );
  if (encrypted) return decryptNameId(encrypted, rules);
  return plain && nameIdOf(plain);
}

/** Values that are not text cannot identify a user. */
function readAttribute(attribute: Element): Attribute {
  const friendlyName = attribute.attributes.get("FriendlyName");
  return {
    name: attribute.attributes.get("Name") ?? "",
    ...(friendlyName === undefined ? {} : { friendlyName }),
    values: childrenOf(attribute, SAML, "AttributeValue").flatMap(({ children, text }) =>
      children.length === 0 ? [text] : []
    ),
  };
}

function latestOf(assertion: Element): number {
  const subject = childOf(assertion, SAML, "Subject");
  const data = subject
    ? childrenOf(subject, SAML, "SubjectConfirmation").flatMap((confirmation) =>
      childrenOf(confirmation, SAML, "SubjectConfirmationData")
    )
    : [];
  return Math.max(0, ...data.map((each) => timeIn(each, "NotOnOrAfter") ?? 0));
}
