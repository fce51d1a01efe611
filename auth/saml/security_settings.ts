/**
 * Reads `settings.security` of a provider.
 *
 * @module
 */

import type { BlockReader } from "@/plugins/contract.ts";
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

/** All flags with their defaults. */
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
} as const;

const KEYS = [...Object.keys(FLAGS), "signMetadata", "signatureAlgorithm", "digestAlgorithm"];
const SIGNATURE_ALGORITHM = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512";
const DIGEST_ALGORITHM = "http://www.w3.org/2001/04/xmlenc#sha256";
const FILE_KEYS = ["keyFileName", "certFileName"];

/** Reads the block; `settings` is its parent. */
export function readSecurity(settings: BlockReader): SecuritySettings {
  const block = settings.block("security", KEYS);
  const flag = (key: keyof typeof FLAGS) => block.flag(key, FLAGS[key]);
  const rejectDeprecatedAlgorithm = flag("rejectDeprecatedAlgorithm");
  return {
    nameIdEncrypted: flag("nameIdEncrypted"),
    authnRequestsSigned: flag("authnRequestsSigned"),
    logoutRequestSigned: flag("logoutRequestSigned"),
    logoutResponseSigned: flag("logoutResponseSigned"),
    wantMessagesSigned: flag("wantMessagesSigned"),
    wantAssertionsSigned: flag("wantAssertionsSigned"),
    wantNameId: flag("wantNameId"),
    wantNameIdEncrypted: flag("wantNameIdEncrypted"),
    wantAssertionsEncrypted: flag("wantAssertionsEncrypted"),
    wantAttributeStatement: flag("wantAttributeStatement"),
    allowSingleLabelDomains: flag("allowSingleLabelDomains"),
    rejectDeprecatedAlgorithm,
    signMetadata: readSignMetadata(block),
    signatureAlgorithm: readAlgorithm("signatureAlgorithm", {
      block,
      table: SIGNATURE_ALGORITHMS,
      fallback: SIGNATURE_ALGORITHM,
      rejectDeprecatedAlgorithm,
    }),
    digestAlgorithm: readAlgorithm("digestAlgorithm", {
      block,
      table: DIGEST_ALGORITHMS,
      fallback: DIGEST_ALGORITHM,
      rejectDeprecatedAlgorithm,
    }),
  };
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

function readSignMetadata(block: BlockReader): boolean | MetadataFiles {
  const value = block.value("signMetadata") ?? false;
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || Array.isArray(value)) {
    block.refuse("signMetadata", "Expected false, true or a map with keyFileName and certFileName");
    return false;
  }
  const files = block.block("signMetadata", FILE_KEYS);
  return { keyFileName: files.text("keyFileName"), certFileName: files.text("certFileName") };
}

interface AlgorithmChoice {
  readonly block: BlockReader;
  readonly table: ReadonlyMap<string, { readonly isDeprecated: boolean }>;
  readonly fallback: string;
  readonly rejectDeprecatedAlgorithm: boolean;
}

function readAlgorithm(
  key: string,
  { block, table, fallback, rejectDeprecatedAlgorithm }: AlgorithmChoice,
): string {
  const name = block.choice(key, [...table.keys()], fallback);
  if (rejectDeprecatedAlgorithm && !block.hasRefused && table.get(name)?.isDeprecated) {
    block.refuse(key, "Is deprecated: it needs rejectDeprecatedAlgorithm: false");
  }
  return name;
}
