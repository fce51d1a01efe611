/**
 * Writes the messages of this service.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import samlify from "samlify";
import { BINDINGS, NAMESPACES, STATUS_PREFIX } from "./names.ts";
import type { ProviderSettings } from "./settings.ts";

const { SamlLib } = samlify;

/** A message with its id. */
interface Message {
  readonly id: string;
  readonly xml: string;
}

/** The destination and the time of a message. */
interface Sending {
  readonly to: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A person's id at the provider, as the provider sent it. */
export interface NameId {
  readonly value: string;
  readonly format?: string;
  readonly nameQualifier?: string;
  readonly spNameQualifier?: string;
}

/** A random id. */
export function newId(): string {
  return `_${randomBytes(20).toString("hex")}`;
}

/** A request to log a person in; `force`: even if the provider already knows the person. */
export function writeAuthnRequest(
  settings: ProviderSettings,
  { force, ...sending }: Sending & { readonly force: boolean },
): Message {
  const { context } = SamlLib.defaultLoginRequestTemplate;
  const template = settings.setNameIdPolicy ? context : context.replace(/<samlp:NameIDPolicy[^>]*>/, "");
  return write(template, settings, sending, {
    ForceAuthn: force ? "true" : undefined,
    ProtocolBinding: BINDINGS.post,
    AssertionConsumerServiceURL: settings.sp.acsUrl,
    AssertionConsumerServiceIndex: undefined,
    NameIDFormat: settings.sp.nameIdFormat,
    AllowCreate: "true",
  });
}

/** A request to end a person's login. `subject` is the NameID as an element, encrypted or not. */
export function writeLogoutRequest(
  settings: ProviderSettings,
  { subject, sessionIndex, ...sending }: Sending & {
    readonly subject: string;
    readonly sessionIndex: string | undefined;
  },
): Message {
  const { context } = SamlLib.defaultLogoutRequestTemplate;
  const template = context.replace(/<saml:NameID .*<\/saml:NameID>/, SUBJECT);
  const { id, xml } = write(template, settings, sending, { SessionIndex: sessionIndex });
  // The subject is XML already, so it must not be escaped; a function, because the text
  // may contain replacement patterns.
  return { id, xml: xml.replace(SUBJECT, () => subject) };
}

const SUBJECT = "<saml:Subject-of-request/>";

/** The outcome of a provider's logout request. */
export type LogoutOutcome = "ended" | "partly" | "refused";

/**
 * Status codes of the standard, without prefix. `PartialLogout` inside success would tell
 * people that they are logged out.
 */
const STATUS: Readonly<Record<LogoutOutcome, readonly [outer: string, inner?: string]>> = {
  ended: ["Success"],
  partly: ["Responder", "PartialLogout"],
  refused: ["Requester", "RequestDenied"],
};

/** The answer to a provider's logout request. */
export function writeLogoutResponse(
  settings: ProviderSettings,
  { requestId, outcome, ...sending }: Sending & {
    readonly requestId: string;
    readonly outcome: LogoutOutcome;
  },
): Message {
  const [outer, inner] = STATUS[outcome];
  const { context } = SamlLib.defaultLogoutResponseTemplate;
  const template = inner === undefined ? context : context.replace(STATUS_CODE, NESTED_CODE);
  return write(template, settings, sending, {
    InResponseTo: requestId,
    StatusCode: `${STATUS_PREFIX}${outer}`,
    ...(inner === undefined ? {} : { InnerCode: `${STATUS_PREFIX}${inner}` }),
  });
}

const STATUS_CODE = '<samlp:StatusCode Value="{StatusCode}"/>';
const NESTED_CODE =
  '<samlp:StatusCode Value="{StatusCode}"><samlp:StatusCode Value="{InnerCode}"/></samlp:StatusCode>';

/** A NameID element with all namespaces that it needs. */
export function nameIdElement({ value, format, nameQualifier, spNameQualifier }: NameId): string {
  return SamlLib.replaceTagsByValue(
    `<saml:NameID xmlns:saml="${NAMESPACES.assertion}" Format="{Format}" NameQualifier="{NameQualifier}" ` +
      `SPNameQualifier="{SPNameQualifier}">{Value}</saml:NameID>`,
    { Format: format, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier, Value: value },
  );
}

function write(
  template: string,
  { sp }: ProviderSettings,
  { to, now }: Sending,
  values: Readonly<Record<string, string | undefined>>,
): Message {
  const id = newId();
  const IssueInstant = new Date(now).toISOString();
  const all = { ...values, ID: id, IssueInstant, Destination: to, Issuer: sp.entityId };
  return { id, xml: SamlLib.replaceTagsByValue(template, all) };
}
