/**
 * Reads the key pair of this service for a provider.
 *
 * @module
 */

import { createPublicKey, type KeyObject } from "node:crypto";
import type { BlockReader } from "@/plugins/contract.ts";
import { type Certificate, readCertificate, readPrivateKey } from "./certificates.ts";
import { SIGNATURE_ALGORITHMS } from "./names.ts";

/** Both halves are optional. */
export interface KeyPair {
  readonly certificate?: Certificate;
  readonly key?: KeyObject;
}

/** Reads `x509cert` and `privatekey`. */
export function readKeyPair(block: BlockReader): KeyPair {
  const certificate = readMember("x509cert", block, readCertificate);
  const key = readMember("privatekey", block, readPrivateKey);
  if (certificate && key && !isPair(certificate, key)) {
    block.refuse("privatekey", "Expected the private key of x509cert");
  }
  return { ...(certificate ? { certificate } : {}), ...(key ? { key } : {}) };
}

/** Reads an optional member; an empty text, as in samples, counts as absent. Mistakes become complaints. */
function readMember<Result>(
  name: string,
  block: BlockReader,
  read: (written: string) => Result,
): Result | undefined {
  if (!block.has(name) || block.value(name) === "") return undefined;
  const written = block.text(name);
  try {
    return written === "" ? undefined : read(written);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    block.refuse(name, error.message);
    return undefined;
  }
}

/** Complains unless the key fits its purpose: a signature algorithm, or decryption. */
export function requireKeyFor(purpose: string, { key }: KeyPair, block: BlockReader): void {
  if (block.hasRefused) return;
  const wanted = SIGNATURE_ALGORITHMS.get(purpose)?.keyType ?? "rsa";
  if (!key) block.refuse("privatekey", "Is missing: what settings.security asks for needs it");
  else if (key.asymmetricKeyType !== wanted) {
    block.refuse("privatekey", `Expected a key of ${wanted.toUpperCase()}: settings.security asks for it`);
  }
}

/** Two keys are a pair if the public key derived from the private one equals the other. */
export function isPair(certificate: Certificate, key: KeyObject): boolean {
  return certificate.key.asymmetricKeyType === key.asymmetricKeyType &&
    publicHalf(key) === exported(certificate.key);
}

function publicHalf(key: KeyObject): string {
  return exported(createPublicKey(key));
}

function exported(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}
