/**
 * Reads `identity_providers` of the policy file. A provider with a mistake is reported and left out; the others work.
 *
 * @module
 */

import type { KeyObject } from "node:crypto";
import { isIP } from "node:net";
import type { AuthHost, BlockReader, MatchAttribute, ProviderBlock } from "@/plugins/contract.ts";
import { MATCH_ATTRIBUTES } from "@/plugins/kit/identity_providers.ts";
import { type Pattern, readPattern } from "@/plugins/kit/match_user.ts";
import { isUrl } from "@/plugins/kit/web_address.ts";
import type { Certificate } from "./certificates.ts";
import { type IdpSettings, readIdp } from "./idp_settings.ts";
import { NAME_ID_FORMATS } from "./names.ts";
import { readSecurity, type SecuritySettings, signsAnything, wantsEncryption } from "./security_settings.ts";
import { readKeyPair, requireKeyFor } from "./key_settings.ts";

/** One enabled provider. */
export interface ProviderSettings {
  readonly id: string;
  /** The label of its button. */
  readonly name: string;
  readonly visible: boolean;
  /** The value that identifies the user: `NameID`, or an attribute of the assertion. */
  readonly source: string;
  /** A pattern that the value must match, and the part that counts. */
  readonly pattern?: Pattern;
  /** The attribute of users that it must equal. */
  readonly attribute: MatchAttribute;
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
  readonly certificate?: Certificate;
  readonly key?: KeyObject;
}

/** The path for responses, before the provider's id. */
export const ACS_PATH = "/sso/callback/saml/";
/** The path for messages about logging out, before the provider's id. */
export const LOGOUT_PATH = "/sso/logout/saml/";

const KEYS: readonly string[] = [
  "saml_auth_attribute",
  "saml_auth_regex",
  "user_config_attribute",
  "settings",
];
const SETTINGS_KEYS = ["sp", "idp", "security", "extra_request_options"];
const SP_KEYS = [
  "entityId",
  "assertionConsumerService",
  "singleLogoutService",
  "NameIDFormat",
  "x509cert",
  "privatekey",
];

/** The enabled providers without a mistake, in the order of the file. */
export function readProviders(
  configured: unknown,
  host: Pick<AuthHost, "providerBlocks" | "complain" | "now">,
): readonly ProviderSettings[] {
  return host.providerBlocks(configured, KEYS).flatMap((provider) => {
    const settings = readProvider(provider, host);
    return provider.block.hasRefused ? [] : [settings];
  });
}

function readProvider(
  { id, name, visible, block }: ProviderBlock,
  host: Pick<AuthHost, "complain" | "now">,
): ProviderSettings {
  const source = block.text("saml_auth_attribute", "NameID");
  const pattern = readPattern("saml_auth_regex", block);
  const attribute = block.choice("user_config_attribute", MATCH_ATTRIBUTES);
  const settings = block.block("settings", SETTINGS_KEYS);
  const security = readSecurity(settings);
  const sp = readSp(id, settings, { security, host });
  const idp = readIdp(settings, {
    now: host.now(),
    warn: (key, message) => host.complain(`identity_providers.${id}.settings.idp.${key}`, message),
  });
  if (!security.allowSingleLabelDomains) refuseSingleLabels(settings, { sp, idp });
  const options = settings.block("extra_request_options", ["set_nameid_policy"]);
  return {
    id,
    name,
    visible,
    source,
    ...pattern,
    attribute,
    sp,
    idp,
    security,
    setNameIdPolicy: options.flag("set_nameid_policy", true),
  };
}

function readSp(
  id: string,
  settings: BlockReader,
  { security, host }: {
    readonly security: SecuritySettings;
    readonly host: Pick<AuthHost, "complain" | "now">;
  },
): SpSettings {
  const block = settings.block("sp", SP_KEYS);
  const acsUrl = readOwnUrl("assertionConsumerService", block, { path: `${ACS_PATH}${id}` });
  const logoutUrl = acsUrl === "" ? "" : readOwnUrl("singleLogoutService", block, {
    path: `${LOGOUT_PATH}${id}`,
    fallback: acsUrl.replace(ACS_PATH, LOGOUT_PATH),
  });
  const pair = readKeyPair(block);
  const { certificate } = pair;
  if (certificate && certificate.until <= host.now()) {
    // Requests may need no certificate, and providers may ignore its expiry, so logins may still work.
    host.complain(`identity_providers.${id}.settings.sp.x509cert`, `Has expired on ${dayOf(certificate)}`);
  }
  if (signsAnything(security)) requireKeyFor(security.signatureAlgorithm, pair, block);
  if (wantsEncryption(security)) requireKeyFor("decryption", pair, block);
  if (security.signMetadata === true && !certificate) {
    block.refuse("x509cert", "Is missing: signMetadata needs it");
  }
  return {
    entityId: block.text("entityId"),
    acsUrl,
    logoutUrl,
    nameIdFormat: block.choice("NameIDFormat", NAME_ID_FORMATS, NAME_ID_FORMATS[0]),
    ...pair,
  };
}

function dayOf({ until }: Certificate): string {
  return new Date(until).toISOString().slice(0, 10);
}

/** Reads a URL of this service; its default has the origin of the address for responses. */
function readOwnUrl(
  key: string,
  block: BlockReader,
  { path, fallback }: { readonly path: string; readonly fallback?: string },
): string {
  const url = block.block(key, ["url"]).text("url", fallback);
  const parsed = URL.parse(url);
  const fits = parsed && isUrl(url) && isPath(path, parsed.pathname) && parsed.search === "" &&
    parsed.hash === "";
  if (fits) return url;
  if (url !== "") block.refuse(`${key}.url`, `Expected the address of this service with ${path}`);
  return "";
}

/** Some characters of ids may be plain or encoded in addresses. */
function isPath(path: string, found: string): boolean {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return found.endsWith(path) || found.endsWith(encoded);
}

function refuseSingleLabels(
  settings: BlockReader,
  { sp, idp }: { readonly sp: SpSettings; readonly idp: IdpSettings },
): void {
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
    settings.refuse(key, "Expected a host with a domain, unless security.allowSingleLabelDomains is true");
  }
}

/**
 * Whether the host of a URL is a single label, which may be a different machine in each network. `localhost` and numeric
 * addresses are not.
 */
function isSingleLabel(text: string): boolean {
  const host = URL.parse(text)?.hostname.replace(/^\[|\]$|\.$/g, "") ?? "";
  return host !== "" && host !== "localhost" && !host.includes(".") && isIP(host) === 0;
}
