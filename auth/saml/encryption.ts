/**
 * Decrypts data that a provider encrypted for this service, and encrypts a NameID for a provider. Every
 * failed decryption has the same answer, so that attackers cannot decrypt by trying variants.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  constants,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import { OtherKey } from "@/plugins/kit/providers/login_failure.ts";
import { DIGEST_ALGORITHMS, NAMESPACES } from "./names.ts";
import type { MessageRules } from "./rules.ts";
import { childOf, childrenOf, type Element } from "./xml.ts";

const { assertion: SAML, encryption: XENC, encryption11: XENC11, signature: DS } = NAMESPACES;

interface Cipher {
  readonly name: string;
  readonly keySize: number;
  readonly decipher: (name: string, bytes: Uint8Array, key: Uint8Array) => Uint8Array;
}

const CIPHERS: ReadonlyMap<string, Cipher> = new Map([
  [`${XENC}aes128-cbc`, { name: "aes-128-cbc", keySize: 16, decipher: decipherCbc }],
  [`${XENC}aes256-cbc`, { name: "aes-256-cbc", keySize: 32, decipher: decipherCbc }],
  [`${XENC11}aes128-gcm`, { name: "aes-128-gcm", keySize: 16, decipher: decipherGcm }],
  [`${XENC11}aes256-gcm`, { name: "aes-256-gcm", keySize: 32, decipher: decipherGcm }],
]);

/** The message of every failed decryption. */
export const UNDECRYPTABLE = "something encrypted that cannot be decrypted";

/** The bytes in an `EncryptedAssertion` or `EncryptedID`. Throws {@link OtherKey}. */
export function decrypt(element: Element, rules: MessageRules): Uint8Array {
  try {
    const data = only(element, XENC, "EncryptedData");
    const cipher = CIPHERS.get(algorithmIn(data));
    if (!cipher) throw new Error("The cipher is not supported");
    const key = keyIn(element, data, { cipher, rules });
    return cipher.decipher(cipher.name, cipherBytes(data), key);
  } catch (error) {
    // The reason must not be revealed.
    if (error instanceof Error) throw new OtherKey(UNDECRYPTABLE);
    throw error;
  }
}

/** The key of the cipher is encrypted with the public key of this service, inside the data or beside it. */
function keyIn(
  element: Element,
  data: Element,
  { cipher, rules }: { readonly cipher: Cipher; readonly rules: MessageRules },
): Uint8Array {
  const { sp: { key }, security: { rejectDeprecatedAlgorithm } } = rules;
  if (!key) throw new Error("There is no key");
  const info = childOf(data, DS, "KeyInfo");
  const inside = info ? childrenOf(info, XENC, "EncryptedKey") : [];
  const [encrypted, ...others] = [...inside, ...childrenOf(element, XENC, "EncryptedKey")];
  if (!encrypted || others.length > 0) throw new Error("There is not one key");
  const bytes = cipherBytes(encrypted);
  if (algorithmIn(encrypted) !== `${XENC}rsa-1_5`) {
    return privateDecrypt({ key, ...paddingOf(encrypted) }, bytes);
  }
  if (rejectDeprecatedAlgorithm) throw new Error("The padding is deprecated");
  return decryptOld(bytes, key, cipher);
}

/** A wrong padding gives a random key, which then fails like any wrong key. */
function decryptOld(bytes: Uint8Array, key: KeyObject, { keySize }: Cipher): Uint8Array {
  const instead = randomBytes(keySize);
  try {
    const found = privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes);
    return found.length === keySize ? found : instead;
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
  const oaepHash = DIGEST_ALGORITHMS.get(digest);
  const label = childOf(method, XENC, "OAEPparams");
  // The mask function has the hash of the digest.
  const fits = (mask ?? `${XENC11}mgf1sha1`) === `${XENC11}mgf1${oaepHash}`;
  if (oaepHash === undefined || label || !fits) throw new Error("No such padding");
  return { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash };
}

function decipherGcm(name: string, bytes: Uint8Array, key: Uint8Array): Uint8Array {
  if (bytes.length < 28) throw new Error("It is too short");
  const cipher = createDecipheriv(name as "aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
  cipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]);
}

/** The last byte is the length of the padding; its other bytes are arbitrary. */
function decipherCbc(name: string, bytes: Uint8Array, key: Uint8Array): Uint8Array {
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

/** Encrypts an element as an `EncryptedID` with all namespaces that it needs. */
export function encryptId(element: string, key: KeyObject): string {
  const secret = randomBytes(32);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const wrapped = publicEncrypt({ key, padding, oaepHash: "sha1" }, secret).toString("base64");
  return `<saml:EncryptedID xmlns:saml="${SAML}"><xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="${XENC11}aes256-gcm"/>` +
    `<ds:KeyInfo xmlns:ds="${DS}"><xenc:EncryptedKey>` +
    `<xenc:EncryptionMethod Algorithm="${XENC}rsa-oaep-mgf1p"><ds:DigestMethod Algorithm="${DS}sha1"/>` +
    `</xenc:EncryptionMethod>${cipherData(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>` +
    `${cipherData(encipher(element, secret))}</xenc:EncryptedData></saml:EncryptedID>`;
}

function encipher(text: string, key: Uint8Array): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64");
}

function cipherData(value: string): string {
  return `<xenc:CipherData><xenc:CipherValue>${value}</xenc:CipherValue></xenc:CipherData>`;
}
