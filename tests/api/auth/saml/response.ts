/**
 * Answers of an identity provider, written by hand: a right one, with every member open to change.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { encryptInto } from "./encryption.ts";
import {
  BEARER,
  EMAIL_FORMAT,
  type ResponseOptions,
  type SamlAttribute,
  SECRET,
  SUCCESS,
} from "./response_options.ts";
import { signElement } from "./signature.ts";
import { type Attributes, element, moment, root, textOf } from "./xml.ts";

/** An id that no other element has. */
export function newId(): string {
  return `_${randomBytes(16).toString("hex")}`;
}

/** The whole document. */
export function buildResponse(options: ResponseOptions): string {
  const { signs = ["assertion"], key, sign, assertions = (xml) => xml } = options;
  const assertion = buildAssertion(options);
  const signed = signs.includes("assertion") ? signElement(assertion, key, sign) : assertion;
  const { encryptFor, encrypt } = options;
  const ready = encryptFor
    ? encryptInto("saml:EncryptedAssertion", signed, encryptFor.publicKey, encrypt)
    : signed;
  const response = wrapAssertion(assertions(ready), options);
  return signs.includes("response") ? signElement(response, key, sign) : response;
}

/** The response around something. */
export function wrapAssertion(content: string, options: ResponseOptions): string {
  const { issuer, acs, inResponseTo, status = SUCCESS } = options;
  const responseIssuer = options.responseIssuer === undefined ? issuer : options.responseIssuer;
  return root(
    "samlp:Response",
    {
      ID: options.responseId ?? newId(),
      Version: options.version ?? "2.0",
      IssueInstant: instant(options.issued ?? 0, options),
      Destination: given(options.destination, acs),
      InResponseTo: given(options.responseInResponseTo, inResponseTo),
    },
    responseIssuer === null ? "" : root("saml:Issuer", {}, textOf(responseIssuer)),
    element("samlp:Status", {}, element("samlp:StatusCode", { Value: status })),
    content,
  );
}

/** The assertion, not signed. */
export function buildAssertion(options: ResponseOptions): string {
  const assertion = root(
    "saml:Assertion",
    {
      ID: options.assertionId ?? newId(),
      Version: options.assertionVersion ?? "2.0",
      IssueInstant: instant(options.issued ?? 0, options),
    },
    element("saml:Issuer", {}, textOf(options.assertionIssuer ?? options.issuer)),
    subjectOf(options),
    conditionsOf(options),
    statementOf(options),
    attributesOf(options),
  );
  return options.beforeSigning?.(assertion) ?? assertion;
}

function subjectOf(options: ResponseOptions): string {
  const { acs, inResponseTo, confirmedFrom } = options;
  const data = {
    InResponseTo: given(options.confirmationInResponseTo, inResponseTo),
    NotBefore: confirmedFrom === undefined ? undefined : instant(confirmedFrom, options),
    NotOnOrAfter: instantOf(options.confirmedUntil, options),
    Recipient: given(options.recipient, acs),
  };
  const confirmation = element("saml:SubjectConfirmationData", data);
  return element(
    "saml:Subject",
    {},
    nameIdOf(options),
    element("saml:SubjectConfirmation", { Method: options.method ?? BEARER }, confirmation),
  );
}

function nameIdOf(options: ResponseOptions): string {
  const { nameId = "anna@example.com", nameIdFormat = EMAIL_FORMAT, encryptNameIdFor } = options;
  if (nameId === null) return "";
  const content = options.nameIdXml ?? textOf(nameId);
  const attributes: Attributes = { Format: nameIdFormat };
  if (!encryptNameIdFor) return element("saml:NameID", attributes, content);
  const alone = root("saml:NameID", attributes, content);
  return encryptInto("saml:EncryptedID", alone, encryptNameIdFor.publicKey, options.encrypt);
}

function conditionsOf(options: ResponseOptions): string {
  if (options.conditions === null) return "";
  const { audience, audiences = [audience], moreConditions = "" } = options;
  const restriction = audiences === null ? "" : element(
    "saml:AudienceRestriction",
    {},
    ...audiences.map((each) => element("saml:Audience", {}, textOf(each))),
  );
  const attributes = {
    NotBefore: instantOf(options.notBefore, options, -60),
    NotOnOrAfter: instantOf(options.notOnOrAfter, options),
  };
  return element("saml:Conditions", attributes, restriction, moreConditions);
}

function statementOf(options: ResponseOptions): string {
  const { issued = 0, sessionIndex = "session-1", sessionUntil, statement } = options;
  if (statement === null) return "";
  const attributes = {
    AuthnInstant: instant(issued, options),
    SessionIndex: sessionIndex ?? undefined,
    SessionNotOnOrAfter: sessionUntil === undefined ? undefined : instant(sessionUntil, options),
  };
  const method = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
  const context = element("saml:AuthnContextClassRef", {}, method);
  return element("saml:AuthnStatement", attributes, element("saml:AuthnContext", {}, context));
}

function attributesOf({ attributes = [] }: ResponseOptions): string {
  if (attributes === null) return "";
  const written = [...attributes, { name: "urn:example:secret", values: [SECRET] }].map(
    ({ name, friendlyName, values }: SamlAttribute) =>
      element(
        "saml:Attribute",
        { Name: name, FriendlyName: friendlyName },
        ...values.map((value) => element("saml:AttributeValue", {}, textOf(value))),
      ),
  );
  return element("saml:AttributeStatement", {}, ...written);
}

const instant = (seconds: number, { now = Date.now() }: Pick<ResponseOptions, "now">) =>
  moment(now + seconds * 1000);

/** A moment, by default five minutes from now. Undefined for null: the attribute is left out. */
function instantOf(
  seconds: number | null | undefined,
  options: Pick<ResponseOptions, "now">,
  usual = 300,
): string | undefined {
  return seconds === null ? undefined : instant(seconds ?? usual, options);
}

function given(value: string | null | undefined, usual: string | null): string | undefined {
  return (value === undefined ? usual : value) ?? undefined;
}
