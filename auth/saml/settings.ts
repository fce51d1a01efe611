/**
 * Reads `identity_providers` of the policy file. A provider with a mistake is
 * reported and left out; the others work.
 *
 * @module
 */

import type { KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { AuthHost } from "@/plugins/contract.ts";
import type { Pattern } from "@/plugins/kit/providers/match_user.ts";
import {
  complain,
  flag,
  inside,
  type Members,
  nested,
  oneOf,
  parsed,
  type Place,
  requireValue,
  unlessEmpty,
} from "@/plugins/kit/members.ts";
import {
  type CommonSettings,
  isUrl,
  pattern,
  providerTable,
  readProviderBlocks,
  webAddress,
  writtenText,
} from "@/plugins/kit/providers/provider_blocks.ts";
import { isValidAt, readCertificate, readPrivateKey } from "./certificates.ts";
import { type Binding, bindingOf, BINDINGS, NAME_ID_FORMATS, SIGNATURE_ALGORITHMS } from "./names.ts";
import {
  SECURITY,
  type SecuritySettings,
  settleSecurity,
  signsAnything,
  wantsEncryption,
} from "./security_settings.ts";

/** One enabled provider. */
export interface ProviderSettings extends CommonSettings {
  /** The value that identifies the user: `NameID`, or an attribute of the assertion. */
  readonly source: string;
  /** A pattern that the value must match, and the part that counts. */
  readonly pattern: Pattern | undefined;
  readonly sp: SpSettings;
  readonly idp: IdpSettings;
  readonly security: SecuritySettings;
  /** Requests ask for a format of the NameID. */
  readonly setNameIdPolicy: boolean;
}

/** This service as a provider knows it. */
export interface SpSettings {
  readonly entityId: string;
  /** The address for responses. */
  readonly acsUrl: string;
  /** The address for messages about logging out. */
  readonly logoutUrl: string;
  readonly nameIdFormat: string;
  readonly certificate: X509Certificate | undefined;
  readonly key: KeyObject | undefined;
}

/** The path for responses, before the provider's id. */
export const ACS_PATH = "/sso/callback/saml/";
/** The path for messages about logging out, before the provider's id. */
export const LOGOUT_PATH = "/sso/logout/saml/";

const SP = nested({
  entityId: writtenText,
  assertionConsumerService: nested({ url: writtenText }, ["url"]),
  singleLogoutService: nested({ url: writtenText }),
  NameIDFormat: oneOf(NAME_ID_FORMATS),
  x509cert: unlessEmpty(parsed(readCertificate)),
  privatekey: unlessEmpty(parsed(readPrivateKey)),
}, ["entityId", "assertionConsumerService"]);

/** Configured members; they take precedence over the metadata. */
interface IdpSettings {
  /** A URL, or the path of a file. */
  readonly metadata: string | undefined;
  readonly entityId: string | undefined;
  /** The address and the binding may come from the metadata. */
  readonly signOn: ConfiguredEndpoint | undefined;
  readonly logout: ConfiguredEndpoint | undefined;
  readonly certificates: readonly X509Certificate[];
}

const CERTIFICATE = parsed(readCertificate);
const URNS = oneOf(Object.values(BINDINGS));
const ENDPOINT = nested({ url: unlessEmpty(webAddress), binding: readBinding });

/** A configured address for messages. */
export type ConfiguredEndpoint = NonNullable<ReturnType<typeof ENDPOINT>>;

const IDP = nested({
  metadata: unlessEmpty(writtenText),
  entityId: unlessEmpty(writtenText),
  singleSignOnService: ENDPOINT,
  singleLogoutService: ENDPOINT,
  x509cert: readCertificates,
});

/** The members of a provider. */
export const PROVIDER = providerTable({
  saml_auth_attribute: writtenText,
  saml_auth_regex: pattern("saml_auth_regex"),
  settings: nested({
    sp: SP,
    idp: IDP,
    security: SECURITY,
    extra_request_options: nested({ set_nameid_policy: flag }),
  }, ["sp", "idp"]),
}, ["user_config_attribute", "settings"]);

/** The enabled providers without a mistake, in the order of the file. */
export function readProviders(
  configured: unknown,
  host: Pick<AuthHost, "complain" | "now">,
): readonly ProviderSettings[] {
  return readProviderBlocks(configured, PROVIDER, host, (read, common, place) => {
    const settings = settle(read, common, place);
    if (settings) noteCertificates(settings, inside(place, "settings"), host);
    return settings;
  });
}

function settle(
  read: Members<typeof PROVIDER.shape>,
  common: CommonSettings,
  place: Place,
): ProviderSettings | undefined {
  const { sp, idp, security, extra_request_options: options } = read.settings ?? {};
  const at = inside(place, "settings");
  // Readers have complained already.
  if (!sp || !idp) return undefined;
  const settings = {
    ...common,
    source: read.saml_auth_attribute ?? "NameID",
    security: settleSecurity(security, inside(at, "security")),
    sp: settleSp(common.id, sp, inside(at, "sp")),
    idp: settleIdp(idp, inside(at, "idp")),
    setNameIdPolicy: options?.set_nameid_policy ?? true,
    pattern: read.saml_auth_regex,
  };
  requireKeys(settings, inside(at, "sp"));
  if (!settings.security.allowSingleLabelDomains) refuseSingleLabels(settings, at);
  return settings;
}

function settleSp(id: string, read: Members<typeof SP.shape>, place: Place): SpSettings {
  const acsUrl = ownUrl("assertionConsumerService", read, { path: `${ACS_PATH}${id}`, place });
  const logoutUrl = read.singleLogoutService?.url
    ? ownUrl("singleLogoutService", read, { path: `${LOGOUT_PATH}${id}`, place })
    : acsUrl.replace(ACS_PATH, LOGOUT_PATH);
  const { x509cert: certificate, privatekey: key } = read;
  if (certificate && key && !certificate.checkPrivateKey(key)) {
    complain(inside(place, "privatekey"), "Expected the private key of x509cert");
  }
  return {
    entityId: read.entityId ?? "",
    acsUrl,
    logoutUrl,
    nameIdFormat: read.NameIDFormat ?? NAME_ID_FORMATS[0],
    certificate,
    key,
  };
}

/** Without metadata all required members must be configured; `place` is that of the block. */
function settleIdp(read: Members<typeof IDP.shape>, place: Place): IdpSettings {
  const { metadata, entityId, singleSignOnService: signOn, singleLogoutService: logout, x509cert } = read;
  if (metadata === undefined) {
    requireValue(entityId, inside(place, "entityId"));
    requireValue(signOn?.url, inside(inside(place, "singleSignOnService"), "url"));
    requireValue(x509cert, inside(place, "x509cert"));
  }
  return { metadata, entityId, signOn, logout, certificates: x509cert ?? [] };
}

function requireKeys({ sp, security }: Pick<ProviderSettings, "sp" | "security">, place: Place): void {
  if (signsAnything(security)) requireKeyFor(security.signatureAlgorithm, sp, place);
  if (wantsEncryption(security)) requireKeyFor("decryption", sp, place);
  if (security.signMetadata === true && !sp.certificate) {
    complain(inside(place, "x509cert"), "Is missing: signMetadata needs it");
  }
}

/** Complains unless the key fits its purpose: a signature algorithm, or decryption. */
function requireKeyFor(purpose: string, { key }: SpSettings, place: Place): void {
  if (place.complaints.length > 0) return;
  const wanted = SIGNATURE_ALGORITHMS.get(purpose)?.keyType ?? "rsa";
  const at = inside(place, "privatekey");
  if (!key) complain(at, "Is missing: settings.security needs it");
  else if (key.asymmetricKeyType !== wanted) {
    complain(at, `Expected a key of ${wanted.toUpperCase()}: settings.security asks for it`);
  }
}

/** Reports certificates that are not valid now, which does not prevent logins. */
function noteCertificates(
  { sp, idp }: Pick<ProviderSettings, "sp" | "idp">,
  place: Place,
  host: Pick<AuthHost, "complain" | "now">,
): void {
  const note = (key: string, message: string | undefined) => {
    if (message !== undefined) host.complain(inside(place, key).key, message);
  };
  // Providers may not check the own certificate, and requests may need none.
  if (sp.certificate && sp.certificate.validToDate.getTime() <= host.now()) {
    note("sp.x509cert", invalidityOf(sp.certificate, host.now()));
  }
  for (const certificate of idp.certificates) note("idp.x509cert", invalidityOf(certificate, host.now()));
}

/** Why a certificate cannot be used at this time, in milliseconds since 1970; undefined if it can. */
function invalidityOf(certificate: X509Certificate, now: number): string | undefined {
  if (isValidAt(certificate, now)) return undefined;
  const end = certificate.validToDate;
  const day = end.toISOString().slice(0, 10);
  return end.getTime() <= now ? `Has expired on ${day}` : "Is not valid yet";
}

function ownUrl(
  key: "assertionConsumerService" | "singleLogoutService",
  read: Members<typeof SP.shape>,
  { path, place }: { readonly path: string; readonly place: Place },
): string {
  const url = read[key]?.url ?? "";
  const { pathname = "", search = "", hash = "" } = URL.parse(url) ?? {};
  if (url === "" || (isUrl(url) && isPath(path, pathname) && search === "" && hash === "")) return url;
  complain(inside(inside(place, key), "url"), `Expected the address of this service with ${path}`);
  return "";
}

/** Some characters of ids may be plain or encoded in addresses. */
function isPath(path: string, found: string): boolean {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return found.endsWith(path) || found.endsWith(encoded);
}

function refuseSingleLabels({ sp, idp }: Pick<ProviderSettings, "sp" | "idp">, place: Place): void {
  const addresses = {
    "sp.entityId": sp.entityId,
    "sp.assertionConsumerService.url": sp.acsUrl,
    "idp.metadata": idp.metadata,
    "idp.entityId": idp.entityId,
    "idp.singleSignOnService.url": idp.signOn?.url,
    "idp.singleLogoutService.url": idp.logout?.url,
  };
  for (const [key, address] of Object.entries(addresses)) {
    if (address === undefined || !isUrl(address) || !isSingleLabel(address)) continue;
    complain(
      inside(place, key),
      "Expected a host with a domain, unless security.allowSingleLabelDomains is true",
    );
  }
}

/**
 * Whether the host of a URL is a single label, which may be a different machine in each network.
 * `localhost` and numeric addresses are not.
 */
function isSingleLabel(text: string): boolean {
  const host = URL.parse(text)?.hostname.replace(/^\[|\]$|\.$/g, "") ?? "";
  return host !== "" && host !== "localhost" && !host.includes(".") && isIP(host) === 0;
}

function readBinding(value: unknown, place: Place): Binding | undefined {
  return bindingOf(URNS(value, place));
}

/** One certificate, or several while the provider changes from one to another. */
function readCertificates(value: unknown, place: Place): readonly X509Certificate[] | undefined {
  const written: readonly unknown[] = Array.isArray(value) ? value : value === "" ? [] : [value];
  const certificates = written.flatMap((text) => {
    if (typeof text === "string") return CERTIFICATE(text, place) ?? [];
    complain(place, "Expected a certificate in base64, or a list of them");
    return [];
  });
  return certificates.length === 0 ? undefined : certificates;
}
