/**
 * Reads the key pair of this service for a provider.
 *
 * @module
 */

import { createPublicKey, type KeyObject } from "node:crypto";
import type { BlockReader } from "@/plugins/contract.ts";
import { type Certificate, readCertificate, readPrivateKey } from "./certificates.ts";
import { SIGNATURE_ALGORITHMS } from "./names.ts";

/** What there is of it. */
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

/** A member that may be absent; an empty one, as samples have it, is. What is wrong is complained of. */
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

/** Complains unless the key can do what it is needed for: a signature algorithm, or decryption. */
export function requireKeyFor(purpose: string, { key }: KeyPair, block: BlockReader): void {
  if (block.hasRefused) return;
  const wanted = SIGNATURE_ALGORITHMS.get(purpose)?.keyType ?? "rsa";
  if (!key) block.refuse("privatekey", "Is missing: what settings.security asks for needs it");
  else if (key.asymmetricKeyType !== wanted) {
    block.refuse("privatekey", `Expected a key of ${wanted.toUpperCase()}: settings.security asks for it`);
  }
}

/** Two keys are a pair if the private one gives the public one. */
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
