/**
 * Reads `settings.security` of a provider.
 *
 * @module
 */

import {
  complain,
  flag,
  inside,
  type Members,
  nested,
  oneOf,
  type Place,
  present,
} from "@/plugins/kit/members.ts";
import { writtenText } from "@/plugins/kit/provider_blocks.ts";
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from "./names.ts";

/** The required signatures and encryption. The names are those of the policy file. */
export interface SecuritySettings {
  readonly nameIdEncrypted: boolean;
  readonly authnRequestsSigned: boolean;
  readonly logoutRequestSigned: boolean;
  readonly logoutResponseSigned: boolean;
  readonly signMetadata: boolean | MetadataFiles;
  readonly wantMessagesSigned: boolean;
  readonly wantAssertionsSigned: boolean;
  readonly wantNameId: boolean;
  readonly wantNameIdEncrypted: boolean;
  readonly wantAssertionsEncrypted: boolean;
  readonly wantAttributeStatement: boolean;
  readonly allowSingleLabelDomains: boolean;
  readonly rejectDeprecatedAlgorithm: boolean;
  readonly signatureAlgorithm: string;
  readonly digestAlgorithm: string;
}

/** Files with a separate key pair for the metadata. */
export interface MetadataFiles {
  readonly keyFileName: string;
  readonly certFileName: string;
}

const DEFAULTS: SecuritySettings = {
  nameIdEncrypted: false,
  authnRequestsSigned: false,
  logoutRequestSigned: false,
  logoutResponseSigned: false,
  signMetadata: false,
  wantMessagesSigned: false,
  wantAssertionsSigned: false,
  wantNameId: true,
  wantNameIdEncrypted: false,
  wantAssertionsEncrypted: false,
  wantAttributeStatement: false,
  allowSingleLabelDomains: false,
  rejectDeprecatedAlgorithm: true,
  signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
};

const METADATA_FILES = nested({ keyFileName: writtenText, certFileName: writtenText }, [
  "keyFileName",
  "certFileName",
]);

/** The members of `settings.security`. */
export const SECURITY = nested({
  nameIdEncrypted: flag,
  authnRequestsSigned: flag,
  logoutRequestSigned: flag,
  logoutResponseSigned: flag,
  signMetadata: Object.assign(readSignMetadata, { shape: METADATA_FILES.shape }),
  wantMessagesSigned: flag,
  wantAssertionsSigned: flag,
  wantNameId: flag,
  wantNameIdEncrypted: flag,
  wantAssertionsEncrypted: flag,
  wantAttributeStatement: flag,
  allowSingleLabelDomains: flag,
  rejectDeprecatedAlgorithm: flag,
  signatureAlgorithm: oneOf([...SIGNATURE_ALGORITHMS.keys()]),
  digestAlgorithm: oneOf([...DIGEST_ALGORITHMS.keys()]),
});

/** The settings with their defaults; `place` is that of the block. */
export function settleSecurity(
  read: Members<typeof SECURITY.shape> | undefined,
  place: Place,
): SecuritySettings {
  const security = { ...DEFAULTS, ...present(read ?? {}) };
  const { signatureAlgorithm, digestAlgorithm, rejectDeprecatedAlgorithm } = security;
  const deprecated = {
    signatureAlgorithm: SIGNATURE_ALGORITHMS.get(signatureAlgorithm)?.isDeprecated,
    digestAlgorithm: DIGEST_ALGORITHMS.get(digestAlgorithm)?.isDeprecated,
  };
  for (const [name, isDeprecated] of Object.entries(deprecated)) {
    if (!rejectDeprecatedAlgorithm || !isDeprecated) continue;
    complain(inside(place, name), "Is deprecated: it needs rejectDeprecatedAlgorithm: false");
  }
  return security;
}

/** Whether this service signs anything and therefore needs a key. */
export function signsAnything(security: SecuritySettings): boolean {
  return security.authnRequestsSigned || security.logoutRequestSigned || security.logoutResponseSigned ||
    security.signMetadata === true;
}

/** Whether providers encrypt anything for this service, which then needs a key. */
export function wantsEncryption(security: SecuritySettings): boolean {
  return security.wantAssertionsEncrypted || security.wantNameIdEncrypted;
}

function readSignMetadata(value: unknown, place: Place): boolean | MetadataFiles | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || Array.isArray(value)) {
    return complain(place, "Expected false, true or a map with keyFileName and certFileName");
  }
  const files = METADATA_FILES(value, place);
  return files && { keyFileName: files.keyFileName ?? "", certFileName: files.certFileName ?? "" };
}
