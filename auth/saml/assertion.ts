/**
 * Checks the audience, the time and the request of an assertion, and reads the identity in it.
 *
 * @module
 */

import { Expired, Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import { boundedText } from "./bounded_text.ts";
import { decrypt } from "./encryption.ts";
import { requireInTime } from "./envelope.ts";
import type { NameId } from "./messages.ts";
import { BEARER, NAMESPACES } from "./names.ts";
import type { MessageRules } from "./rules.ts";
import { childOf, childrenOf, type Element, parseXml, timeIn, treeOf } from "./xml.ts";

/** A person who logged in at a provider. */
export interface Identity {
  readonly assertionId: string;
  /** The id of the answered request. */
  readonly requestId: string;
  readonly nameId: NameId | undefined;
  readonly attributes: readonly Attribute[];
  /** The provider's id of the login. */
  readonly sessionIndex: string | undefined;
  /** End of the provider's login, in milliseconds since 1970. */
  readonly endsAt: number | undefined;
  /** End of the assertion's validity, in milliseconds since 1970; until then it could be replayed. */
  readonly until: number;
}

/** An attribute with its values. */
interface Attribute {
  readonly name: string;
  readonly friendlyName: string | undefined;
  readonly values: readonly string[];
}

const { assertion: SAML } = NAMESPACES;

/**
 * Reads a verified assertion in the response to a request. Throws {@link Rejection} if a required part is
 * missing or not meant for this service and this moment.
 */
export function readAssertion(assertion: Element, requestId: string, rules: MessageRules): Identity {
  requireConditions(childOf(assertion, SAML, "Conditions"), rules);
  const subject = childOf(assertion, SAML, "Subject");
  require(subject !== undefined, "an assertion without subject");
  const confirmations = childrenOf(subject, SAML, "SubjectConfirmation");
  requireConfirmation(confirmations, requestId, rules);
  const logins = childrenOf(assertion, SAML, "AuthnStatement");
  require(logins.length > 0, "an assertion that does not say that somebody logged in");
  const ends = logins.flatMap((login) => timeIn(login, "SessionNotOnOrAfter") ?? []);
  // Adds the skew, as at the login: clocks may differ.
  const endsAt = Math.min(...ends) + rules.skew;
  if (endsAt <= rules.now) throw new Expired("a login whose session is over");
  const nameId = readNameId(subject, rules);
  const statements = childrenOf(assertion, SAML, "AttributeStatement");
  require(statements.length > 0 || !rules.security.wantAttributeStatement, "an assertion without attributes");
  return {
    assertionId: assertion.attributes.get("ID") ?? "",
    requestId,
    nameId,
    attributes: statements.flatMap((statement) =>
      childrenOf(statement, SAML, "Attribute").map(readAttribute)
    ),
    sessionIndex: logins.flatMap(({ attributes }) => attributes.get("SessionIndex") ?? [])[0],
    endsAt: ends.length === 0 ? undefined : endsAt,
    until: latestOf(confirmations) + rules.skew,
  };
}

function requireConditions(conditions: Element | undefined, rules: MessageRules): void {
  require(conditions !== undefined, "an assertion without conditions");
  requireInTime(conditions, "an assertion", rules);
  require(
    childrenOf(conditions, SAML, "Condition").length === 0,
    "an assertion with a condition that is not known",
  );
  const restrictions = childrenOf(conditions, SAML, "AudienceRestriction");
  require(restrictions.length > 0, "an assertion that does not say for whom it is");
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, SAML, "Audience").map(({ text }) => text);
    require(audiences.includes(rules.sp.entityId), "an assertion for another service");
  }
}

/** One valid confirmation is sufficient; if none is valid, the first one's reason is reported. */
function requireConfirmation(
  confirmations: readonly Element[],
  requestId: string,
  rules: MessageRules,
): void {
  const reasons = confirmations.filter(({ attributes }) => attributes.get("Method") === BEARER)
    .map((confirmation) => whyNot(confirmation, requestId, rules));
  if (reasons.includes(undefined)) return;
  throw reasons[0] ?? new Rejection("an assertion without confirmation for its bearer");
}

function whyNot(confirmation: Element, requestId: string, rules: MessageRules): Rejection | undefined {
  try {
    requireData(childOf(confirmation, SAML, "SubjectConfirmationData"), requestId, rules);
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

function requireData(data: Element | undefined, requestId: string, rules: MessageRules): void {
  require(data !== undefined, "a confirmation without data");
  const { attributes } = data;
  require(attributes.get("Recipient") === rules.sp.acsUrl, "a confirmation for another recipient");
  require(attributes.get("InResponseTo") === requestId, "a confirmation for another request");
  require(attributes.has("NotOnOrAfter"), "a confirmation that is valid for ever");
  require(!attributes.has("NotBefore"), "a confirmation for later");
  requireInTime(data, "a confirmation", rules);
}

/** A NameID with its attributes. */
export function nameIdOf({ text, attributes }: Element): NameId {
  const optional = { format: "Format", nameQualifier: "NameQualifier", spNameQualifier: "SPNameQualifier" };
  const found = Object.entries(optional).flatMap(([key, name]) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [[key, value]];
  });
  return { value: text, ...Object.fromEntries(found) };
}

/** The NameID in an `EncryptedID`. */
export function decryptNameId(encrypted: Element, rules: MessageRules): NameId {
  using document = parseXml(boundedText(decrypt(encrypted, rules)));
  rules.schemas.require(document);
  const root = treeOf(document.root);
  require(root.namespace === SAML && root.name === "NameID", "something encrypted that is no NameID");
  return nameIdOf(root);
}

function readNameId(subject: Element, rules: MessageRules): NameId | undefined {
  const plain = childOf(subject, SAML, "NameID");
  const encrypted = childOf(subject, SAML, "EncryptedID");
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
  return {
    name: attribute.attributes.get("Name") ?? "",
    friendlyName: attribute.attributes.get("FriendlyName"),
    values: childrenOf(attribute, SAML, "AttributeValue").flatMap(({ children, text }) =>
      children.length === 0 ? [text] : []
    ),
  };
}

function latestOf(confirmations: readonly Element[]): number {
  const data = confirmations.flatMap((each) => childrenOf(each, SAML, "SubjectConfirmationData"));
  return Math.max(0, ...data.map((each) => timeIn(each, "NotOnOrAfter") ?? 0));
}
