/**
 * Licences: JSON Web Tokens signed with Ed25519, in the file of the setting `license`. Without a file the
 * service is the open edition, with all features.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { type Configuration, writeFileAtomically } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { User } from "@/core/model.ts";
import { ADMIN, type Caller, PUBLIC } from "./permissions.ts";
import { enabledUsers } from "./users.ts";

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
type ReadLicence = { readonly claims: LicenceClaims } | { readonly complaint: string };

/** The use of the service that licences limit. */
interface Usage {
  /** Enabled users except `public`, which needs no credentials. */
  readonly users: number;
  readonly databases: number;
}

/** Reads and verifies a licence. `publicKey` is base64url of the 32 bytes of a key, or PEM. */
export function readLicence(token: string, publicKey: string | undefined): ReadLicence {
  if (publicKey === undefined) {
    return { complaint: "license.public_key is not set, so it cannot be verified" };
  }
  const parts = token.trim().split(".");
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))) {
    return { complaint: "It is no JSON Web Token" };
  }
  if (membersOf(header)["alg"] !== "EdDSA") return { complaint: "It is not signed with EdDSA" };
  const key = ed25519(() => importPublicKey(publicKey));
  if (!key) return { complaint: "license.public_key is no Ed25519 key" };
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))) {
    return { complaint: "Its signature is not that of license.public_key" };
  }
  return readClaims(membersOf(payload));
}

/** Why a licence does not cover the use; undefined if it does. `now` is milliseconds since 1970. */
export function complaintAbout(claims: LicenceClaims, usage: Usage, now: number): string | undefined {
  const { exp, maxUsers = Infinity, maxDatabases = Infinity } = claims;
  if (now >= exp * 1000) return `It expired on ${new Date(exp * 1000).toISOString().slice(0, 10)}`;
  if (usage.users > maxUsers) return `Its limit of users is ${maxUsers}, and there are ${usage.users}`;
  if (usage.databases > maxDatabases) {
    return `Its limit of databases is ${maxDatabases}, and there are ${usage.databases}`;
  }
  return undefined;
}

/** A new private key as PEM (PKCS 8), for the distributor of the service. */
export function makePrivateKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * The public key of a private one, in the form of `license.public_key`. Throws unless it is an Ed25519 key.
 */
export function publicKeyOf(privateKey: string): string {
  const { x = "" } = createPublicKey(importPrivateKey(privateKey)).export({ format: "jwk" });
  return x;
}

/** Signs a licence. Throws unless it is an Ed25519 key. */
export function signLicence(claims: LicenceClaims, privateKey: string): string {
  const { maxUsers: max_users, maxDatabases: max_databases, features, ...rest } = claims;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const payload = { ...rest, max_users, max_databases, features };
  const signed = `${part({ alg: "EdDSA", typ: "JWT" })}.${part(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), importPrivateKey(privateKey)).toString("base64url")}`;
}

/** Absent: the open edition. */
export type Licence = ReadLicence | undefined;

type LicenceSettings = Pick<Settings, "license" | "license.public_key">;

/** Bytes of a licence. */
export const LONGEST_LICENCE = 65_536;
const LICENSED_METHODS: readonly string[] = ["jwt", "saml"];

/** Reads the file; mistakes in it are part of the result. */
export async function loadLicence(settings: LicenceSettings): Promise<Licence> {
  try {
    const { size } = await Deno.stat(settings.license);
    if (size > LONGEST_LICENCE) return { complaint: "It is too large to be a licence" };
    return readLicence(await Deno.readTextFile(settings.license), settings["license.public_key"]);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Error) return { complaint: `It cannot be read: ${error.name}` };
    throw error;
  }
}

/** Replaces the licence file. Throws `FileFailure`. */
export async function storeLicence(token: string, { license }: LicenceSettings): Promise<void> {
  await writeFileAtomically(license, `${token.trim()}\n`);
}

/** Counts the limited parts of a configuration. */
export function usageOf({ users, databases }: Pick<Configuration, "users" | "databases">): Usage {
  const people = enabledUsers(users);
  return { users: people.size - (people.has(PUBLIC) ? 1 : 0), databases: databases.size };
}

/** The licence and the configuration of a snapshot. */
interface Licensed {
  readonly licence: Licence;
  readonly configuration: Pick<Configuration, "users" | "databases">;
}

/** Why all users except admin are locked out; undefined if they are not. */
export function lockOf({ licence, configuration }: Licensed, now = Date.now()): string | undefined {
  if (licence === undefined) return undefined;
  if ("complaint" in licence) return licence.complaint;
  return complaintAbout(licence.claims, usageOf(configuration), now);
}

/** Throws 402 if the licence does not cover the use; `admin` may continue, to replace the licence. */
export function requireLicence({ user }: Pick<Caller, "user">, licensed: Licensed): void {
  if (user.login === ADMIN || lockOf(licensed) === undefined) return;
  throw new ServiceError(
    "licence",
    "The licence of this service does not allow it to work: an administrator can replace it at /license",
  );
}

/** The configuration without the methods that the licence lacks, and their names. */
export function withLicensedMethods(
  configuration: Configuration,
  licence: Licence,
): { readonly configuration: Configuration; readonly off: readonly string[] } {
  if (licence === undefined) return { configuration, off: [] };
  const features = "claims" in licence ? licence.claims.features : [];
  const off = configuration.authentication.filter(({ name, enabled }) => {
    return enabled && LICENSED_METHODS.includes(name) && !features.includes(name);
  }).map(({ name }) => name);
  const authentication = configuration.authentication.map((policy) =>
    off.includes(policy.name) ? { ...policy, enabled: false } : policy
  );
  return { configuration: { ...configuration, authentication }, off };
}

/** Why a change locks the users out, who were not locked out for the same reason before. */
export function newLock(
  licence: Licence,
  { before, after }: { readonly before: Configuration; readonly after: Configuration },
): string | undefined {
  const now = Date.now();
  const lock = lockOf({ licence, configuration: after }, now);
  return lock === lockOf({ licence, configuration: before }, now) ? undefined : lock;
}

/** Throws 402 if a change by a user other than admin would lock the users out. */
export function requireRoom({ login }: User, licence: Licence, change: Parameters<typeof newLock>[1]): void {
  if (login === ADMIN || newLock(licence, change) === undefined) return;
  throw new ServiceError(
    "licence",
    "The licence of this service does not allow this change: admin can replace it at /license",
  );
}

/** The claims as they are signed. */
interface SignedClaims extends Pick<LicenceClaims, "licensee" | "edition" | "exp"> {
  readonly max_users?: number;
  readonly max_databases?: number;
  readonly features?: readonly string[];
}

const CHECKS: { readonly [Name in keyof Required<SignedClaims>]: (value: unknown) => boolean } = {
  licensee: isName,
  edition: isName,
  // The last second that a date can have.
  exp: (value) => isCount(value) && value < 8.64e12,
  max_users: (value) => value === undefined || isCount(value),
  max_databases: (value) => value === undefined || isCount(value),
  features: (value) => value === undefined || (Array.isArray(value) && value.every(isName)),
};

function readClaims(members: Readonly<Record<string, unknown>>): ReadLicence {
  if (!areClaims(members)) return { complaint: `It has no usable ${wrongIn(members).map(quote).join(", ")}` };
  const { max_users: maxUsers, max_databases: maxDatabases, features = [], licensee, edition, exp } = members;
  return {
    claims: {
      licensee,
      edition,
      exp,
      features,
      ...(maxUsers === undefined ? {} : { maxUsers }),
      ...(maxDatabases === undefined ? {} : { maxDatabases }),
    },
  };
}

function areClaims(members: object): members is SignedClaims {
  return wrongIn(members).length === 0;
}

function wrongIn(members: object): readonly string[] {
  const wrong = Object.entries(CHECKS).filter(([name, isRight]) => !isRight(Reflect.get(members, name)));
  return wrong.map(([name]) => name);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 300;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function importPublicKey(written: string): KeyObject {
  if (written.includes("-----BEGIN PUBLIC KEY-----")) return createPublicKey(written);
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: written.trim() }, format: "jwk" });
}

function importPrivateKey(pem: string): KeyObject {
  const key = ed25519(() => createPrivateKey(pem));
  if (key) return key;
  throw badRequest("The private key is no Ed25519 key in PEM");
}

/** The imported key; undefined for text that is no key, and for a key of another kind. */
function ed25519(importKey: () => KeyObject): KeyObject | undefined {
  try {
    const key = importKey();
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The members of a part of a token; none unless it is an object in JSON. */
function membersOf(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(part, "base64url")),
    );
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return {};
    throw error;
  }
}
