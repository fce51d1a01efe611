/**
 * The encryption of connections, as definitions of databases ask for it.
 *
 * `ssl` is `true` (encrypted, and the certificate is checked), `false` (the default) or a mapping:
 *
 * | key | means |
 * |---|---|
 * | `ca` | certificates in PEM form, or the file that holds them, that the server's certificate must lead to |
 * | `verify` | `false` takes any certificate; default `true` |
 * | `server_name` | the name in the certificate, where it differs from `db_host` |
 * | `strict` | `true` encrypts from the first byte on, as TDS 8 does; default `false` |
 *
 * @module
 */

import { resolve } from "node:path";
import type { ConnectionOptions } from "tedious";
import { readPem } from "@/plugins/kit/pem.ts";

/** The meaning of `ssl` in a definition. Throws for an invalid one. */
export async function readEncryption(ssl: unknown, directory: string): Promise<ConnectionOptions> {
  if (ssl === undefined || ssl === null || ssl === false) return { encrypt: false };
  if (ssl === true) return { encrypt: true };
  if (typeof ssl !== "object" || Array.isArray(ssl)) throw wrong("ssl", "true, false or a mapping");
  requireMembers(ssl);
  const { ca, verify, server_name: serverName, strict } = ssl;
  return {
    encrypt: strict === true ? "strict" : true,
    trustServerCertificate: verify === false,
    ...(serverName === undefined ? {} : { serverName }),
    ...(ca === undefined
      ? {}
      : { cryptoCredentialsDetails: { ca: await readPem(ca, "ssl.ca", resolve(directory, ca)) } }),
  };
}

interface SslMembers {
  readonly ca?: string;
  readonly verify?: boolean;
  readonly server_name?: string;
  readonly strict?: boolean;
}

const TEXTS = ["ca", "server_name"];
const FLAGS = ["verify", "strict"];

function requireMembers(members: object): asserts members is SslMembers {
  for (const [key, value] of Object.entries(members)) {
    if (TEXTS.includes(key)) {
      if (typeof value !== "string" || value === "") throw wrong(`ssl.${key}`, "text");
    } else if (!FLAGS.includes(key)) {
      throw wrong(`ssl.${key}`, "one of ca, verify, server_name, strict as its key");
    } else if (typeof value !== "boolean") throw wrong(`ssl.${key}`, "true or false");
  }
}

function wrong(key: string, expected: string): Error {
  return new Error(`Cannot use "${key}" of the database's definition: expected ${expected}`);
}
