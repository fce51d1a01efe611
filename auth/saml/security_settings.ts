/**
 * Reads `settings.security` of a provider.
 *
 * @module
 */

import {
  complain,
  defined,
  flag,
  inside,
  type Members,
  nested,
  oneOf,
  type Place,
  type Reader,
} from "@/plugins/kit/members.ts";
import { writtenText } from "@/plugins/kit/providers/provider_blocks.ts";
import { DEPRECATED, DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from "./names.ts";

/** Files with a separate key pair for the metadata. */
export interface MetadataFiles {
  readonly keyFileName: string;
  readonly certFileName: string;
}

const FLAGS = {
  nameIdEncrypted: false,
  authnRequestsSigned: false,
  logoutRequestSigned: false,
  logoutResponseSigned: false,
  wantMessagesSigned: false,
  wantAssertionsSigned: false,
  wantNameId: true,
  wantNameIdEncrypted: false,
  wantAssertionsEncrypted: false,
  wantAttributeStatement: false,
  allowSingleLabelDomains: false,
  rejectDeprecatedAlgorithm: true,
};

type Flag = keyof typeof FLAGS;

/** The required signatures and encryption. The names are those of the policy file. */
export interface SecuritySettings extends Readonly<Record<Flag, boolean>> {
  readonly signMetadata: boolean | MetadataFiles;
  readonly signatureAlgorithm: string;
  readonly digestAlgorithm: string;
}

const DEFAULTS: SecuritySettings = {
  ...FLAGS,
  signMetadata: false,
  signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
};

const METADATA_FILES = nested({ keyFileName: writtenText, certFileName: writtenText }, [
  "keyFileName",
  "certFileName",
]);

/** The members of `settings.security`. */
export const SECURITY = nested({
  ...Object.fromEntries(Object.keys(FLAGS).map((name) => [name, flag])) as Record<Flag, Reader<boolean>>,
  signMetadata: Object.assign(readSignMetadata, { shape: METADATA_FILES.shape }),
  signatureAlgorithm: oneOf([...SIGNATURE_ALGORITHMS.keys()]),
  digestAlgorithm: oneOf([...DIGEST_ALGORITHMS.keys()]),
});

/** The settings with their defaults; `place` is that of the block. */
export function settleSecurity(
  read: Members<typeof SECURITY.shape> | undefined,
  place: Place,
): SecuritySettings {
  const security = { ...DEFAULTS, ...defined(read ?? {}) };
  const { signatureAlgorithm, digestAlgorithm, rejectDeprecatedAlgorithm } = security;
  const hashes = {
    signatureAlgorithm: SIGNATURE_ALGORITHMS.get(signatureAlgorithm)?.hash,
    digestAlgorithm: DIGEST_ALGORITHMS.get(digestAlgorithm),
  };
  for (const [name, hash] of Object.entries(hashes)) {
    if (!rejectDeprecatedAlgorithm || hash !== DEPRECATED) continue;
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
