/**
 * Reads the identity in an assertion.
 *
 * @module
 */

import { boundedText } from "./bounded_text.ts";
import { decrypt } from "./decrypt.ts";
import type { NameId } from "./messages.ts";
import { NAMESPACES } from "./names.ts";
import type { ResponseRules } from "./response_rules.ts";
import { require } from "./rejection.ts";
import { timeIn } from "./times.ts";
import { childOf, childrenOf, type Element, parseXml, treeOf } from "./xml.ts";

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

/** Reads a verified assertion. Throws {@link Rejection} if a required part is missing. */
export function readIdentity(
  assertion: Element,
  { requestId, rules }: { readonly requestId: string; readonly rules: ResponseRules },
): Identity {
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
  rules: Pick<ResponseRules, "schemas" | "key" | "rejectDeprecated">,
): NameId {
  using document = parseXml(boundedText(decrypt(encrypted, rules)));
  rules.schemas.require(document);
  const root = treeOf(document.root);
  require(root.namespace === SAML && root.name === "NameID", "something encrypted that is no NameID");
  return nameIdOf(root);
}

function readNameId(subject: Element | undefined, rules: ResponseRules): NameId | undefined {
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
