/**
 * The settings of the method, read from its block in auth.cfg: whose keys there are.
 *
 * @module
 */

import { createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { AuthHost, PluginSettings, SettingValues } from "@/plugins/contract.ts";

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

/**
 * A key with a mistake is left out and complained of, so that the other ones work. A
 * complaint never has a secret in it.
 */
export function readSettings(
  { max_age: maxAge, keys: blocks }: SettingValues<typeof SETTINGS>,
  complain: AuthHost["complain"],
): Settings {
  const keys = new Map<string, Key>();
  for (const [name, block] of Object.entries(blocks)) {
    const key = keyOf(isBlock(block) ? block : {});
    if ("mistake" in key) complain(["keys", name, ...key.at].join("."), key.mistake);
    else keys.set(name, key);
  }
  return { maxAge, keys };
}

/** What is wrong with a key, and the member where. */
interface Mistake {
  readonly at: readonly string[];
  readonly mistake: string;
}

function keyOf(
  { user, secret, public_key: pem, ...others }: Readonly<Record<string, unknown>>,
): Key | Mistake {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return { at: [unknown], mistake: "Is not known" };
  if (typeof user !== "string" || user === "") return { at: ["user"], mistake: "Must be a login" };
  if ((secret === undefined) === (pem === undefined)) {
    return { at: [], mistake: "Must have a secret or a public_key" };
  }
  return secret === undefined ? publicKey(user, pem) : secretKey(user, secret);
}

function secretKey(user: string, secret: unknown): Key | Mistake {
  if (typeof secret !== "string" || secret.length < SHORTEST_SECRET) {
    return { at: ["secret"], mistake: `Must be a text of at least ${SHORTEST_SECRET} random characters` };
  }
  const fits = (text: string, signature: Uint8Array) => {
    const expected = createHmac("sha256", secret).update(text).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  };
  return { user, alg: "hmac-sha256", fits };
}

function publicKey(user: string, pem: unknown): Key | Mistake {
  const key = typeof pem === "string" ? keyIn(pem) : undefined;
  if (key?.asymmetricKeyType !== "ed25519") {
    return { at: ["public_key"], mistake: "Must be a public key of Ed25519 as PEM text" };
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
