/**
 * The settings of the method, read from its block in auth.cfg: whose keys there are.
 *
 * @module
 */

import { createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { PluginSettings, SettingValues } from "@/plugins/contract.ts";

/** The block in auth.cfg. */
export const SETTINGS = {
  max_age: {
    type: "integer",
    least: 1,
    most: 3600,
    default: 60,
    sentence: "Seconds for which a signature counts.",
  },
  keys: { type: "mapping", required: true, sentence: "A block for each key, by its keyid." },
} as const satisfies PluginSettings;

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
export function readSettings({ max_age: maxAge, keys }: SettingValues<typeof SETTINGS>): Settings {
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
