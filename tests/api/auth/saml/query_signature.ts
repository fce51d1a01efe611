/**
 * Signatures of the redirect binding, which cover the raw query.
 *
 * @module
 */

import { type KeyObject, sign, verify } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { Identity } from "./certificate.ts";
import { SIGNATURES } from "./signature.ts";

/** Whether the query of an address is signed with this key. */
export function isQuerySigned(address: string, key: KeyObject): boolean {
  const query = address.slice(address.indexOf("?") + 1).split("&");
  const part = (name: string) => query.find((each) => each.startsWith(`${name}=`));
  const message = part("SAMLRequest") ?? part("SAMLResponse");
  const signed = [message, part("RelayState"), part("SigAlg")].filter((each) => each !== undefined).join("&");
  const [algorithm, signature] = ["SigAlg", "Signature"].map((name) =>
    new URLSearchParams(query.join("&")).get(name)
  );
  const found = Object.entries(SIGNATURES).find(([, uri]) => uri === algorithm)?.[0];
  if (found === undefined || !/^[rd]sa-/.test(found) || !signature) return false;
  const bytes = new TextEncoder().encode(signed);
  const verifying = { key, dsaEncoding: "ieee-p1363" } as const;
  return verify(found.slice("rsa-".length), bytes, verifying, Uint8Array.fromBase64(signature));
}

/** How a message is sent by redirect. */
export interface QueryOptions {
  readonly relayState?: string;
  /** Absent: the query is not signed. */
  readonly key?: Identity;
  readonly algorithm?: "rsa-sha1" | "rsa-sha256" | "rsa-sha512";
}

/** The query of a message as a provider writes it. */
export function queryOf(
  name: "SAMLRequest" | "SAMLResponse",
  message: string | Uint8Array,
  { relayState, key, algorithm = "rsa-sha256" }: QueryOptions = {},
): string {
  const deflated = new Uint8Array(deflateRawSync(message)).toBase64();
  const parts = [
    `${name}=${encodeURIComponent(deflated)}`,
    ...(relayState === undefined ? [] : [`RelayState=${encodeURIComponent(relayState)}`]),
  ];
  if (!key) return parts.join("&");
  const signed = [...parts, `SigAlg=${encodeURIComponent(SIGNATURES[algorithm])}`].join("&");
  const signature = sign(algorithm.slice("rsa-".length), new TextEncoder().encode(signed), key.privateKey);
  return `${signed}&Signature=${encodeURIComponent(signature.toString("base64"))}`;
}
