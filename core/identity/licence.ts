/**
 * Licences: JSON Web Tokens signed with Ed25519. Without a licence file the service is the open edition, with all
 * features. Pure; the clock is a parameter.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";

/** The content of a licence. */
export interface LicenceClaims {
  readonly licensee: string;
  readonly edition: string;
  /** Expiry in seconds since 1970. */
  readonly exp: number;
  /** Absent: unlimited. */
  readonly maxUsers?: number;
  readonly maxDatabases?: number;
  /** Methods beyond the open ones: `jwt`, `saml`. */
  readonly features: readonly string[];
}

/** A licence, or the reason why it cannot be used. */
export type ReadLicence = { readonly claims: LicenceClaims } | { readonly complaint: string };

/** The use of the service that licences limit. */
export interface Usage {
  /** Enabled users except `public`, which needs no credentials. */
  readonly users: number;
  readonly databases: number;
}

/** Methods that require a licence. */
export const LICENSED_METHODS: readonly string[] = ["jwt", "saml"];

/** Reads and verifies a licence. `publicKey` is base64url of the 32 bytes of a key, or PEM. */
export async function readLicence(token: string, publicKey: string | undefined): Promise<ReadLicence> {
  if (publicKey === undefined) {
    return { complaint: "license.public_key is not set, so it cannot be verified" };
  }
  const parts = token.trim().split(".");
  const [header, payload, signature] = parts.map(fromBase64Url);
  if (parts.length !== 3 || !header || !payload || !signature) {
    return { complaint: "It is no JSON Web Token" };
  }
  if (membersOf(header)?.["alg"] !== "EdDSA") return { complaint: "It is not signed with EdDSA" };
  const key = await importKey(publicKey);
  if (!key) return { complaint: "license.public_key is no Ed25519 key" };
  const signed = new TextEncoder().encode(token.trim().slice(0, token.trim().lastIndexOf(".")));
  if (!await crypto.subtle.verify("Ed25519", key, signature, signed)) {
    return { complaint: "Its signature is not that of license.public_key" };
  }
  return readClaims(membersOf(payload) ?? {});
}

/** Why a licence does not cover the use; undefined if it does. `now` is milliseconds since 1970. */
export function complaintAbout(claims: LicenceClaims, usage: Usage, now: number): string | undefined {
  const { exp, maxUsers = Infinity, maxDatabases = Infinity } = claims;
  if (now >= exp * 1000) return `It expired on ${dayOf(exp)}`;
  if (usage.users > maxUsers) return `It is for ${maxUsers} users and there are ${usage.users}`;
  if (usage.databases > maxDatabases) {
    return `It is for ${maxDatabases} databases and there are ${usage.databases}`;
  }
  return undefined;
}

/** `2027-01-31` */
function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function readClaims(claims: Readonly<Record<string, unknown>>): ReadLicence {
  const { licensee, edition, exp, max_users: maxUsers, max_databases: maxDatabases, features = [] } = claims;
  const wrong = [
    ...(isName(licensee) ? [] : ["licensee"]),
    ...(isName(edition) ? [] : ["edition"]),
    ...(isCount(exp) && exp < 8.64e12 ? [] : ["exp"]),
    ...(maxUsers === undefined || isCount(maxUsers) ? [] : ["max_users"]),
    ...(maxDatabases === undefined || isCount(maxDatabases) ? [] : ["max_databases"]),
    ...(isNames(features) ? [] : ["features"]),
  ];
  if (wrong.length > 0 || !isName(licensee) || !isName(edition) || !isCount(exp) || !isNames(features)) {
    return { complaint: `It has no usable ${wrong.map(quote).join(", ")}` };
  }
  return {
    claims: {
      licensee,
      edition,
      exp,
      features,
      ...(isCount(maxUsers) ? { maxUsers } : {}),
      ...(isCount(maxDatabases) ? { maxDatabases } : {}),
    },
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 300;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isName);
}

async function importKey(written: string): Promise<CryptoKey | undefined> {
  const isPem = written.includes("-----BEGIN PUBLIC KEY-----");
  const body = isPem ? written.replace(/-----[^-]+-----|\s/g, "") : written.trim();
  const bytes = isPem ? fromBase64(body) : fromBase64Url(body);
  if (!bytes) return undefined;
  try {
    return await crypto.subtle.importKey(isPem ? "spki" : "raw", bytes, "Ed25519", false, ["verify"]);
  } catch (error) {
    // The platform's errors for bytes that are not such a key.
    if (error instanceof DOMException || error instanceof TypeError) return undefined;
    throw error;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

function fromBase64Url(text: string): Bytes | undefined {
  return /^[A-Za-z0-9_-]+$/.test(text) ? decode(text, "base64url") : undefined;
}

function fromBase64(text: string): Bytes | undefined {
  return /^[A-Za-z0-9+/]+=*$/.test(text) ? decode(text, "base64") : undefined;
}

function decode(text: string, alphabet: "base64" | "base64url"): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function membersOf(bytes: Bytes): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
