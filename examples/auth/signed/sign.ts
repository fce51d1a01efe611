/**
 * Signs requests as a client does; copy it into a program that sends them.
 *
 * @module
 */

import { createHash, createHmac, type KeyObject, randomBytes, sign } from "node:crypto";

/** The key of a client: a secret text, or a private key of Ed25519. */
export interface ClientKey {
  readonly keyid: string;
  readonly key: string | KeyObject;
}

/** The request to sign. */
export interface Unsigned {
  readonly method: string;
  /** `http://127.0.0.1:8080/db/Demo/Port.json?limit=1`. */
  readonly url: string;
  /** Absent: the request has none. */
  readonly body?: string | Uint8Array;
}

/**
 * The headers to add to a request. Each call gives another nonce: a request
 * that is sent again is signed again.
 */
export function sign9421(
  { method, url, body }: Unsigned,
  { keyid, key }: ClientKey,
  now: number = Date.now(),
): Readonly<Record<string, string>> {
  const { host, pathname, search } = new URL(url);
  const digest = body === undefined
    ? undefined
    : `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
  const lines = [
    ["@method", method],
    ["@authority", host],
    ["@path", pathname],
    ["@query", search || "?"],
    ...digest === undefined ? [] : [["content-digest", digest]],
  ];
  const created = Math.floor(now / 1000);
  const names = lines.map(([name]) => `"${name}"`).join(" ");
  const input = `(${names});created=${created};keyid="${keyid}";nonce="${
    randomBytes(18).toString("base64url")
  }"`;
  const base = [...lines, ["@signature-params", input]].map(([name, value]) => `"${name}": ${value}`).join(
    "\n",
  );
  const signature = typeof key === "string"
    ? createHmac("sha256", key).update(base).digest()
    : sign(null, new TextEncoder().encode(base), key);
  return {
    "Signature-Input": `sig=${input}`,
    Signature: `sig=:${signature.toString("base64")}:`,
    ...(digest === undefined ? {} : { "Content-Digest": digest }),
  };
}
