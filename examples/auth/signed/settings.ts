/**
 * The settings of the method, read from its block in auth.cfg: whose keys there are.
 *
 * @module
 */

import { createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { Section } from "@/plugins/contract.ts";

/** A key and its owner. */
export interface Key {
  /** The login that its requests run as. */
  readonly user: string;
  /** Its name in RFC 9421. */
  readonly alg: "hmac-sha256" | "ed25519";
  /** Whether it has signed a text. */
  fits(text: string, signature: Uint8Array): boolean;
}

/** The whole block. */
export interface Settings {
  /** Seconds for which a signature counts. */
  readonly maxAge: number;
  /** By keyid. */
  readonly keys: ReadonlyMap<string, Key>;
}

/** Characters of a secret: as many as 24 random bytes have in base64. */
const SHORTEST_SECRET = 32;

/** Throws a sentence about the first mistake; it never has a secret in it. */
export function readSettings({ max_age: maxAge = 60, keys }: Section): Settings {
  if (typeof maxAge !== "number" || !Number.isInteger(maxAge) || maxAge < 1 || maxAge > 3600) {
    throw new Error("max_age must be a number of seconds from 1 to 3600");
  }
  if (!isBlock(keys)) throw new Error("keys must have a block for each key");
  return { maxAge, keys: new Map(Object.entries(keys).map(([name, key]) => [name, keyOf(name, key)])) };
}

function keyOf(name: string, block: unknown): Key {
  const { user, secret, public_key: pem, ...others } = isBlock(block) ? block : {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`keys.${name}.${unknown} is not known`);
  if (typeof user !== "string" || user === "") throw new Error(`keys.${name}.user must be a login`);
  if ((secret === undefined) === (pem === undefined)) {
    throw new Error(`keys.${name} must have a secret or a public_key`);
  }
  return secret === undefined ? publicKey(name, user, pem) : secretKey(name, user, secret);
}

function secretKey(name: string, user: string, secret: unknown): Key {
  if (typeof secret !== "string" || secret.length < SHORTEST_SECRET) {
    throw new Error(`keys.${name}.secret must be a text of at least ${SHORTEST_SECRET} random characters`);
  }
  const fits = (text: string, signature: Uint8Array) => {
    const expected = createHmac("sha256", secret).update(text).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  };
  return { user, alg: "hmac-sha256", fits };
}

function publicKey(name: string, user: string, pem: unknown): Key {
  const key = typeof pem === "string" ? keyIn(pem) : undefined;
  if (key?.asymmetricKeyType !== "ed25519") {
    throw new Error(`keys.${name}.public_key must be a public key of Ed25519 as PEM text`);
  }
  return {
    user,
    alg: "ed25519",
    fits: (text, signature) => verify(null, new TextEncoder().encode(text), key, signature),
  };
}

function keyIn(pem: string) {
  // A private key would be taken as well; it has no business here.
  if (!pem.includes("BEGIN PUBLIC KEY")) return undefined;
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

function isBlock(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
