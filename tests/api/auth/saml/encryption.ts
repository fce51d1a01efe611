/**
 * Encrypts elements for the holder of a key, and does it wrongly where a test wants that.
 *
 * @module
 */

import { constants, createCipheriv, type KeyObject, publicEncrypt, randomBytes } from "node:crypto";
import { element, root } from "./xml.ts";

const XENC = "http://www.w3.org/2001/04/xmlenc#";
const XENC11 = "http://www.w3.org/2009/xmlenc11#";

/** Ciphers by their short name. Deno has no AES of 192 bits. */
export const CIPHERS = {
  "aes-128-cbc": `${XENC}aes128-cbc`,
  "aes-256-cbc": `${XENC}aes256-cbc`,
  "aes-128-gcm": `${XENC11}aes128-gcm`,
  "aes-256-gcm": `${XENC11}aes256-gcm`,
  "des-ede3-cbc": `${XENC}tripledes-cbc`,
} as const;

/** Transports of keys: OAEP with SHA-1 and SHA-256, and the deprecated one. */
const TRANSPORTS = {
  "oaep-sha1": `${XENC}rsa-oaep-mgf1p`,
  "oaep-sha256": `${XENC11}rsa-oaep`,
  "rsa-1_5": `${XENC}rsa-1_5`,
} as const;

/** How something is encrypted. */
export interface EncryptOptions {
  readonly cipher?: keyof typeof CIPHERS;
  readonly transport?: keyof typeof TRANSPORTS;
  /** The encrypted key is beside the data, which refers to it, as some providers write it. */
  readonly isKeyBeside?: boolean;
  /** Changes the bytes of the encrypted key. */
  readonly spoilKey?: (bytes: Uint8Array) => Uint8Array;
  /** Changes the encrypted bytes: initial vector, text, and the tag of GCM. */
  readonly spoilData?: (bytes: Uint8Array) => Uint8Array;
}

/** An `EncryptedAssertion` or `EncryptedID` with this element in it. */
export function encryptInto(
  name: "saml:EncryptedAssertion" | "saml:EncryptedID",
  xml: string,
  key: KeyObject,
  options: EncryptOptions = {},
): string {
  const secret = randomBytes(sizeOf(options));
  const wrapped = encryptedKey(secret, key, options);
  const inside = options.isKeyBeside
    ? element("ds:RetrievalMethod", { URI: "#_key", Type: KEY_TYPE })
    : wrapped;
  const data = encryptedData(xml, secret, { ...options, info: root("ds:KeyInfo", {}, inside) });
  const content = options.isKeyBeside ? data + standAlone(wrapped) : data;
  return name === "saml:EncryptedAssertion" ? root(name, {}, content) : element(name, {}, content);
}

const KEY_TYPE = "http://www.w3.org/2001/04/xmlenc#EncryptedKey";

/** A key outside the data declares its namespaces itself. */
function standAlone(key: string): string {
  return key.replace("<xenc:EncryptedKey", `<xenc:EncryptedKey xmlns:xenc="${XENC}" Id="_key"`)
    .replace("<ds:DigestMethod", '<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#"');
}

const sizeOf = ({ cipher = "aes-256-gcm" }: EncryptOptions) =>
  cipher === "des-ede3-cbc" ? 24 : Number(cipher.slice(4, 7)) / 8;

function encryptedData(
  xml: string,
  key: Uint8Array,
  { cipher = "aes-256-gcm", spoilData = (bytes) => bytes, info }: EncryptOptions & { readonly info: string },
): string {
  return root(
    "xenc:EncryptedData",
    { Type: `${XENC}Element` },
    element("xenc:EncryptionMethod", { Algorithm: CIPHERS[cipher] }),
    info,
    cipherData(spoilData(encipher(xml, key, cipher))),
  );
}

function encryptedKey(key: Uint8Array, publicKey: KeyObject, options: EncryptOptions): string {
  const { transport = "oaep-sha256", spoilKey = (bytes) => bytes } = options;
  const digest = transport === "oaep-sha256" ? SHA256_PARTS : transport === "oaep-sha1" ? SHA1_PART : "";
  return element(
    "xenc:EncryptedKey",
    {},
    element("xenc:EncryptionMethod", { Algorithm: TRANSPORTS[transport] }, digest),
    cipherData(spoilKey(transportKey(key, publicKey, transport))),
  );
}

const SHA1_PART = element("ds:DigestMethod", { Algorithm: "http://www.w3.org/2000/09/xmldsig#sha1" });
const SHA256_PARTS = element("ds:DigestMethod", { Algorithm: `${XENC}sha256` }) +
  root("xenc11:MGF", { Algorithm: `${XENC11}mgf1sha256` });

function transportKey(key: Uint8Array, publicKey: KeyObject, transport: keyof typeof TRANSPORTS): Uint8Array {
  if (transport === "rsa-1_5") {
    return new Uint8Array(publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, key));
  }
  const oaepHash = transport === "oaep-sha1" ? "sha1" : "sha256";
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return new Uint8Array(publicEncrypt({ key: publicKey, padding, oaepHash }, key));
}

/** Initial vector, encrypted text, and with GCM its tag. */
function encipher(text: string, key: Uint8Array, cipher: keyof typeof CIPHERS): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (cipher.endsWith("-gcm")) {
    const vector = randomBytes(12);
    const made = createCipheriv(cipher as "aes-256-gcm", key, vector);
    const encrypted = Buffer.concat([vector, made.update(bytes), made.final()]);
    return new Uint8Array(Buffer.concat([encrypted, made.getAuthTag()]));
  }
  const vector = randomBytes(cipher === "des-ede3-cbc" ? 8 : 16);
  const made = createCipheriv(cipher, key, vector);
  return new Uint8Array(Buffer.concat([vector, made.update(bytes), made.final()]));
}

function cipherData(bytes: Uint8Array): string {
  return element("xenc:CipherData", {}, element("xenc:CipherValue", {}, bytes.toBase64()));
}
