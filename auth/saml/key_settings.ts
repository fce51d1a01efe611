/**
 * Checks the key pair of this service for a provider.
 *
 * @module
 */

import { createPublicKey, type KeyObject } from "node:crypto";
import { complain, inside, type Place } from "@/plugins/kit/members.ts";
import type { Certificate } from "./certificates.ts";
import { SIGNATURE_ALGORITHMS } from "./names.ts";

/** Both halves are optional. */
export interface KeyPair {
  readonly certificate?: Certificate;
  readonly key?: KeyObject;
}

/** Complains about halves of two pairs; `place` is that of the block with `privatekey`. */
export function checkPair({ certificate, key }: KeyPair, place: Place): void {
  if (certificate && key && !isPair(certificate, key)) {
    complain(inside(place, "privatekey"), "Expected the private key of x509cert");
  }
}

/** Complains unless the key fits its purpose: a signature algorithm, or decryption. */
export function requireKeyFor(purpose: string, { key }: KeyPair, place: Place): void {
  if (place.complaints.length > 0) return;
  const wanted = SIGNATURE_ALGORITHMS.get(purpose)?.keyType ?? "rsa";
  const at = inside(place, "privatekey");
  if (!key) complain(at, "Is missing: what settings.security asks for needs it");
  else if (key.asymmetricKeyType !== wanted) {
    complain(at, `Expected a key of ${wanted.toUpperCase()}: settings.security asks for it`);
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
