/**
 * Creates licences and their signing keys, for the distributor of the service.
 *
 * @module
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { ServiceError } from "@/core/errors.ts";
import type { LicenceClaims } from "./licence.ts";

/** A new private key as PEM (PKCS 8). */
export function makePrivateKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public key of a private one, in the form of `license.public_key`. Throws unless it is an Ed25519 key. */
export function publicKeyOf(privateKey: string): string {
  const { x } = createPublicKey(importKey(privateKey)).export({ format: "jwk" });
  if (typeof x !== "string") throw noKey();
  return x;
}

/** Signs a licence. Throws unless it is an Ed25519 key. */
export function issueLicence(claims: LicenceClaims, privateKey: string): string {
  const { licensee, edition, exp, maxUsers, maxDatabases, features } = claims;
  const payload = {
    licensee,
    edition,
    exp,
    ...(maxUsers === undefined ? {} : { max_users: maxUsers }),
    ...(maxDatabases === undefined ? {} : { max_databases: maxDatabases }),
    features,
  };
  const signed = `${part({ alg: "EdDSA", typ: "JWT" })}.${part(payload)}`;
  const signature = sign(null, new TextEncoder().encode(signed), importKey(privateKey));
  return `${signed}.${signature.toString("base64url")}`;
}

function part(value: unknown): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

function importKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw noKey(error);
  }
  throw noKey();
}

function noKey(cause?: Error): ServiceError {
  return new ServiceError("bad-request", "The private key is no Ed25519 key in PEM", cause ? { cause } : {});
}
