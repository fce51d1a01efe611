/**
 * Certificates and keys, as they stand in configurations and metadata: PEM, or its base64 alone.
 *
 * @module
 */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** A certificate that can be used while it is valid. */
export interface Certificate {
  /** In base64 without line breaks. */
  readonly text: string;
  readonly key: KeyObject;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Milliseconds since 1970; then it is over. */
  readonly until: number;
}

/** Bits of a key; whoever rents a machine for a few days has the private half of shorter ones. */
const SHORTEST = 1024;

/** Whether there are signature algorithms here for keys like that of a certificate, and it is not too short for them. */
export function isSupported({ key: { asymmetricKeyType, asymmetricKeyDetails } }: Certificate): boolean {
  const isKnown = asymmetricKeyType === "rsa" || asymmetricKeyType === "dsa";
  return isKnown && (asymmetricKeyDetails?.modulusLength ?? 0) >= SHORTEST;
}

/** Reads a certificate that can be used. Throws an error whose message says what is wrong, without any of it. */
export function readCertificate(written: string): Certificate {
  const certificate = parseCertificate(written);
  if (!isSupported(certificate)) {
    throw new Error(`Expected a certificate with a key of RSA or DSA, of ${SHORTEST} bits at least`);
  }
  return certificate;
}

/** Reads a certificate, whatever its key is. Throws an error whose message says what is wrong, without any of it. */
export function parseCertificate(written: string): Certificate {
  const text = bodyOf(written);
  const certificate = parse(
    "Expected a certificate in base64",
    () => new X509Certificate(pem("CERTIFICATE", text)),
  );
  return {
    text,
    key: parse("Expected a certificate with a key", () => certificate.publicKey),
    from: Date.parse(certificate.validFrom),
    until: Date.parse(certificate.validTo),
  };
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

/** Whether it can be used at that moment. */
export function isValidAt({ from, until }: Certificate, now: number): boolean {
  return from <= now && now < until;
}

function bodyOf(written: string): string {
  return written.replace(/-----(?:BEGIN|END) [A-Z ]+-----/g, "").replace(/\s+/g, "");
}

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${body.replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;
}

/** The library's words may quote what it was given. */
function parse<Result>(message: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) throw new Error(message);
    throw error;
  }
}
