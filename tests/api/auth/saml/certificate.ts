/**
 * Keys with certificates that they signed themselves, made when a test needs
 * them, valid for as long as it wants.
 *
 * @module
 */

import { generateKeyPair, type KeyObject, randomBytes, sign } from "node:crypto";
import { promisify } from "node:util";

/** A key pair with its certificate. */
export interface Identity {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The certificate: base64 of its DER, in one line. */
  readonly certificate: string;
}

/** When a certificate is valid, in milliseconds since 1970. */
export interface Validity {
  readonly from?: number;
  readonly until?: number;
}

const DAY = 86_400_000;
const makePair = promisify(generateKeyPair);

/** A new RSA key of 2048 bits with a certificate. */
export async function makeIdentity(name: string, validity: Validity = {}): Promise<Identity> {
  const { privateKey, publicKey } = await makePair("rsa", { modulusLength: 2048 });
  return certify({ privateKey, publicKey }, name, validity);
}

/** A new DSA key as dsa-sha1 wants it; an RSA key signs its certificate. */
export async function makeDsaIdentity(name: string, signer: Pick<Identity, "privateKey">): Promise<Identity> {
  const pair = await makePair("dsa", { modulusLength: 1024, divisorLength: 160 });
  return certify(pair, name, {}, signer);
}

/** Another certificate for a key; it signs it itself if it is an RSA key. */
export function certify(
  { privateKey, publicKey }: Pick<Identity, "privateKey" | "publicKey">,
  name: string,
  { from = Date.now() - DAY, until = Date.now() + DAY }: Validity = {},
  signer: Pick<Identity, "privateKey"> = { privateKey },
): Identity {
  const algorithm = sequence(objectId(SHA256_WITH_RSA), tagged(0x05, []));
  const subject = sequence(tagged(0x31, sequence(objectId(COMMON_NAME), tagged(0x0c, utf8(name)))));
  const body = sequence(
    tagged(0xa0, integer(new Uint8Array([2]))),
    integer(new Uint8Array([1, ...randomBytes(8)])),
    algorithm,
    subject,
    sequence(time(from), time(until)),
    subject,
    new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
  );
  const signature = new Uint8Array(sign("sha256", body, signer.privateKey));
  const der = sequence(body, algorithm, tagged(0x03, new Uint8Array([0, ...signature])));
  return { privateKey, publicKey, certificate: der.toBase64() };
}

/** The private key as base64 of its PKCS #8, in one line. */
export function privateKeyOf({ privateKey }: Identity): string {
  return new Uint8Array(privateKey.export({ type: "pkcs8", format: "der" })).toBase64();
}

/** The certificate as PEM. */
export function pemOf({ certificate }: Pick<Identity, "certificate">): string {
  const lines = certificate.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** The private key as PEM. */
export function privatePemOf({ privateKey }: Identity): string {
  return String(privateKey.export({ type: "pkcs8", format: "pem" }));
}

const SHA256_WITH_RSA = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
const COMMON_NAME = [0x55, 0x04, 0x03];

/** DER: a tag, the length and the content. */
function tagged(tag: number, content: Uint8Array | readonly number[]): Uint8Array {
  return new Uint8Array([tag, ...lengthOf(content.length), ...content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return tagged(0x30, parts.flatMap((part) => [...part]));
}

const objectId = (bytes: readonly number[]) => tagged(0x06, bytes);
const integer = (bytes: Uint8Array) => tagged(0x02, bytes);
const utf8 = (text: string) => new TextEncoder().encode(text);

/** UTCTime: `260101000000Z`. */
function time(milliseconds: number): Uint8Array {
  const [seconds = ""] = new Date(milliseconds).toISOString().split(".");
  return tagged(0x17, utf8(`${seconds.replaceAll(/[-:T]/g, "").slice(2)}Z`));
}
