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
export interface Message {
  readonly id: string;
  readonly xml: string;
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
  { sp, setNameIdPolicy }: ProviderSettings,
  { to, now, force }: { readonly to: string; readonly now: number; readonly force: boolean },
): Message {
  const id = newId();
  const { context } = SamlLib.defaultLoginRequestTemplate;
  const template = setNameIdPolicy ? context : context.replace(/<samlp:NameIDPolicy[^>]*>/, "");
  const xml = SamlLib.replaceTagsByValue(template, {
    ...common(id, { to, now, issuer: sp.entityId }),
    ForceAuthn: force ? "true" : undefined,
    ProtocolBinding: BINDINGS.post,
    AssertionConsumerServiceURL: sp.acsUrl,
    AssertionConsumerServiceIndex: undefined,
    NameIDFormat: sp.nameIdFormat,
    AllowCreate: "true",
  });
  return { id, xml };
}

/** The content of a logout request. */
export interface LogoutSubject {
  /** The NameID as an element, encrypted or not. */
  readonly subject: string;
  readonly sessionIndex?: string | undefined;
}

/** A request to end a person's login. */
export function writeLogoutRequest(
  { sp }: ProviderSettings,
  { subject, sessionIndex }: LogoutSubject,
  { to, now }: { readonly to: string; readonly now: number },
): Message {
  const id = newId();
  const template = SamlLib.defaultLogoutRequestTemplate.context;
  const xml = SamlLib.replaceTagsByValue(template.replace(/<saml:NameID .*<\/saml:NameID>/, SUBJECT), {
    ...common(id, { to, now, issuer: sp.entityId }),
    SessionIndex: sessionIndex,
  });
  // The subject is XML already, so it must not be escaped; a function, because the text may contain replacement patterns.
  return { id, xml: xml.replace(SUBJECT, () => subject) };
}

const SUBJECT = "<saml:Subject-of-request/>";

/** The outcome of a provider's logout request. */
export type LogoutOutcome = "ended" | "partly" | "refused";

/**
 * Status codes of the standard, without prefix. `PartialLogout` inside success would tell people that they are logged
 * out.
 */
const STATUS: Readonly<Record<LogoutOutcome, readonly [outer: string, inner?: string]>> = {
  ended: ["Success"],
  partly: ["Responder", "PartialLogout"],
  refused: ["Requester", "RequestDenied"],
};

/** The answer to a provider's logout request. */
export function writeLogoutResponse(
  { sp }: ProviderSettings,
  { requestId, outcome }: { readonly requestId: string; readonly outcome: LogoutOutcome },
  { to, now }: { readonly to: string; readonly now: number },
): Message {
  const id = newId();
  const [outer, inner] = STATUS[outcome];
  const { context } = SamlLib.defaultLogoutResponseTemplate;
  const template = inner === undefined ? context : context.replace(STATUS_CODE, NESTED_CODE);
  const xml = SamlLib.replaceTagsByValue(template, {
    ...common(id, { to, now, issuer: sp.entityId }),
    InResponseTo: requestId,
    StatusCode: `${STATUS_PREFIX}${outer}`,
    ...(inner === undefined ? {} : { InnerCode: `${STATUS_PREFIX}${inner}` }),
  });
  return { id, xml };
}

const STATUS_CODE = '<samlp:StatusCode Value="{StatusCode}"/>';
const NESTED_CODE =
  '<samlp:StatusCode Value="{StatusCode}"><samlp:StatusCode Value="{InnerCode}"/></samlp:StatusCode>';

/** A NameID element with all namespaces that it needs. */
export function nameIdElement({ value, format, nameQualifier, spNameQualifier }: NameId): string {
  return SamlLib.replaceTagsByValue(
    `<saml:NameID xmlns:saml="${NAMESPACES.assertion}" Format="{Format}" NameQualifier="{NameQualifier}" ` +
      `SPNameQualifier="{SPNameQualifier}">{Value}</saml:NameID>`,
    {
      Format: format,
      NameQualifier: nameQualifier,
      SPNameQualifier: spNameQualifier,
      Value: value,
    },
  );
}

function common(
  id: string,
  { to, now, issuer }: { readonly to: string; readonly now: number; readonly issuer: string },
) {
  return { ID: id, IssueInstant: new Date(now).toISOString(), Destination: to, Issuer: issuer };
}
