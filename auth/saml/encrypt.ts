/**
 * Encrypts a NameID for a provider.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants, createCipheriv, type KeyObject, publicEncrypt, randomBytes } from "node:crypto";
import { NAMESPACES } from "./names.ts";

const { assertion: SAML, encryption: XENC, encryption11: XENC11, signature: DS } = NAMESPACES;

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
