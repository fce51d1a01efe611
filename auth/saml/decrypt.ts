/**
 * Decrypts data that a provider encrypted for this service. Every failure has the same answer, so that attackers cannot
 * decrypt by trying variants.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants, createDecipheriv, type KeyObject, privateDecrypt, randomBytes } from "node:crypto";
import { NAMESPACES } from "./names.ts";
import { Rejection } from "./rejection.ts";
import { childOf, childrenOf, type Element } from "./xml.ts";

/** The rules of decryption. */
export interface DecryptionRules {
  readonly key: KeyObject | undefined;
  /** RSA 1.5 is refused. */
  readonly rejectDeprecated: boolean;
}

const { encryption: XENC, encryption11: XENC11, signature: DS } = NAMESPACES;

interface Cipher {
  readonly name: "aes-128-cbc" | "aes-256-cbc" | "aes-128-gcm" | "aes-256-gcm";
  readonly keySize: number;
  readonly isGcm: boolean;
}

const CIPHERS: ReadonlyMap<string, Cipher> = new Map<string, Cipher>([
  [`${XENC}aes128-cbc`, { name: "aes-128-cbc", keySize: 16, isGcm: false }],
  [`${XENC}aes256-cbc`, { name: "aes-256-cbc", keySize: 32, isGcm: false }],
  [`${XENC11}aes128-gcm`, { name: "aes-128-gcm", keySize: 16, isGcm: true }],
  [`${XENC11}aes256-gcm`, { name: "aes-256-gcm", keySize: 32, isGcm: true }],
]);

/** Digests of OAEP, each with its mask function. */
const OAEP: ReadonlyMap<string, { readonly hash: string; readonly mask: string }> = new Map([
  [`${DS}sha1`, { hash: "sha1", mask: `${XENC11}mgf1sha1` }],
  [`${XENC}sha256`, { hash: "sha256", mask: `${XENC11}mgf1sha256` }],
  ["http://www.w3.org/2001/04/xmldsig-more#sha384", { hash: "sha384", mask: `${XENC11}mgf1sha384` }],
  [`${XENC}sha512`, { hash: "sha512", mask: `${XENC11}mgf1sha512` }],
]);

/** The message of every failed decryption. */
export const UNDECRYPTABLE = "something encrypted that cannot be decrypted";

/** The bytes in an `EncryptedAssertion` or `EncryptedID`. Throws {@link Rejection}. */
export function decrypt(element: Element, rules: DecryptionRules): Uint8Array {
  try {
    const data = only(element, XENC, "EncryptedData");
    const cipher = CIPHERS.get(algorithmIn(data));
    if (!cipher) throw new Error("The cipher is not supported");
    return decipher(cipherBytes(data), keyIn(element, data, { cipher, rules }), cipher);
  } catch (error) {
    // The reason must not be revealed.
    if (error instanceof Error) throw new Rejection(UNDECRYPTABLE);
    throw error;
  }
}

/** The key of the cipher is encrypted with the public key of this service, inside the data or beside it. */
function keyIn(
  element: Element,
  data: Element,
  { cipher, rules }: { readonly cipher: Cipher; readonly rules: DecryptionRules },
): Uint8Array {
  if (!rules.key) throw new Error("There is no key");
  const info = childOf(data, DS, "KeyInfo");
  const inside = info ? childrenOf(info, XENC, "EncryptedKey") : [];
  const [encrypted, ...others] = [...inside, ...childrenOf(element, XENC, "EncryptedKey")];
  if (!encrypted || others.length > 0) throw new Error("There is not one key");
  const bytes = cipherBytes(encrypted);
  return algorithmIn(encrypted) === `${XENC}rsa-1_5`
    ? decryptOld(bytes, rules.key, { cipher, rules })
    : privateDecrypt({ key: rules.key, ...paddingOf(encrypted) }, bytes);
}

/** A wrong padding gives a random key, which then fails like any wrong key. */
function decryptOld(
  bytes: Uint8Array,
  key: KeyObject,
  { cipher, rules }: { readonly cipher: Cipher; readonly rules: DecryptionRules },
): Uint8Array {
  if (rules.rejectDeprecated) throw new Error("The padding is deprecated");
  const instead = randomBytes(cipher.keySize);
  try {
    const found = privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes);
    return found.length === cipher.keySize ? found : instead;
  } catch (error) {
    if (error instanceof Error) return instead;
    throw error;
  }
}

function paddingOf(encrypted: Element): { readonly padding: number; readonly oaepHash: string } {
  const method = only(encrypted, XENC, "EncryptionMethod");
  const isNew = algorithmIn(encrypted) === `${XENC11}rsa-oaep`;
  if (!isNew && algorithmIn(encrypted) !== `${XENC}rsa-oaep-mgf1p`) throw new Error("No such algorithm");
  const digest = childOf(method, DS, "DigestMethod")?.attributes.get("Algorithm") ?? `${DS}sha1`;
  const mask = isNew ? childOf(method, XENC11, "MGF")?.attributes.get("Algorithm") : undefined;
  const oaep = OAEP.get(digest);
  const label = childOf(method, XENC, "OAEPparams");
  if (!oaep || label || oaep.mask !== (mask ?? `${XENC11}mgf1sha1`)) throw new Error("No such padding");
  return { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: oaep.hash };
}

function decipher(bytes: Uint8Array, key: Uint8Array, { name, keySize, isGcm }: Cipher): Uint8Array {
  if (key.length !== keySize) throw new Error("The key has another size");
  return isGcm ? decipherGcm(name, bytes, key) : decipherCbc(name, bytes, key);
}

function decipherGcm(name: Cipher["name"], bytes: Uint8Array, key: Uint8Array): Uint8Array {
  if (bytes.length < 28) throw new Error("It is too short");
  const cipher = createDecipheriv(name as "aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
  cipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]);
}

/** The last byte is the length of the padding; its other bytes are arbitrary. */
function decipherCbc(name: Cipher["name"], bytes: Uint8Array, key: Uint8Array): Uint8Array {
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new Error("It has no whole blocks");
  const cipher = createDecipheriv(name, key, bytes.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([cipher.update(bytes.subarray(16)), cipher.final()]);
  const padding = padded.at(-1) ?? 0;
  if (padding < 1 || padding > 16) throw new Error("The padding is wrong");
  return padded.subarray(0, -padding);
}

function cipherBytes(element: Element): Uint8Array {
  const { text } = only(only(element, XENC, "CipherData"), XENC, "CipherValue");
  return Buffer.from(text.replace(/[\t\n\r ]/g, ""), "base64");
}

function algorithmIn(element: Element): string {
  return only(element, XENC, "EncryptionMethod").attributes.get("Algorithm") ?? "";
}

function only(parent: Element, namespace: string, name: string): Element {
  const child = childOf(parent, namespace, name);
  if (child) return child;
  throw new Error(`There is no ${name}`);
}
