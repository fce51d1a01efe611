/**
 * Certificates and keys in configurations and metadata: PEM, or its base64 alone.
 *
 * @module
 */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** Bits of a key; shorter RSA keys can be factored with a few days of rented computing time. */
const SHORTEST = 1024;

/**
 * Whether the service has signature algorithms for the certificate's kind of key, and the key is long enough.
 */
export function isSupported(
  { publicKey: { asymmetricKeyType, asymmetricKeyDetails } }: X509Certificate,
): boolean {
  const isKnown = asymmetricKeyType === "rsa" || asymmetricKeyType === "dsa";
  return isKnown && (asymmetricKeyDetails?.modulusLength ?? 0) >= SHORTEST;
}

/**
 * Reads a usable certificate. The message of its error describes the mistake without quoting the certificate.
 */
export function readCertificate(written: string): X509Certificate {
  const certificate = parseCertificate(written);
  if (isSupported(certificate)) return certificate;
  throw new Error(`Expected a certificate with a key of RSA or DSA, of ${SHORTEST} bits at least`);
}

/** Like {@link readCertificate}, but with any kind of key. */
export function parseCertificate(written: string): X509Certificate {
  const certificate = parse(
    "Expected a certificate in base64",
    () => new X509Certificate(pem("CERTIFICATE", bodyOf(written))),
  );
  parse("Expected a certificate with a key", () => certificate.publicKey);
  return certificate;
}

/** Reads a private key without passphrase. */
export function readPrivateKey(written: string): KeyObject {
  const message = "Expected a private key in base64, without a passphrase";
  if (written.includes("-----BEGIN")) return parse(message, () => createPrivateKey(written));
  const text = bodyOf(written);
  try {
    return createPrivateKey(pem("PRIVATE KEY", text));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return parse(message, () => createPrivateKey(pem("RSA PRIVATE KEY", text)));
  }
}

/** A certificate in base64 without line breaks. */
export function base64Of({ raw }: X509Certificate): string {
  return raw.toString("base64");
}

/** Whether a certificate is valid at a time in milliseconds since 1970. */
export function isValidAt({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now < validToDate.getTime();
}

function bodyOf(written: string): string {
  return written.replace(/-----(?:BEGIN|END) [A-Z ]+-----/g, "").replace(/\s+/g, "");
}

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${body.replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;
}

/** The library's messages may quote the input. */
function parse<Result>(message: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) throw new Error(message);
    throw error;
  }
}
