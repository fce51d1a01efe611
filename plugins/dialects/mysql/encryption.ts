/**
 * The encryption of connections, as definitions of databases ask for it.
 *
 * @module
 */

import { resolve } from "node:path";
import { readPem } from "@/plugins/kit/pem.ts";
import type { SslOptions } from "./driver.ts";

const FLAGS = ["rejectUnauthorized", "verifyIdentity"];
const FILES = ["ca", "cert", "key"];
const TEXTS = ["passphrase", "ciphers", "minVersion", "maxVersion"];

/**
 * `ssl: true`, or an object with the keys of the driver: `ca`, `cert` and `key` (PEM text or a file's name),
 * `passphrase`, `ciphers`, `minVersion`, `maxVersion`, `rejectUnauthorized` and
 * `verifyIdentity`, both true by default.
 */
export async function readEncryption(ssl: unknown, directory: string): Promise<SslOptions | undefined> {
  if (ssl === undefined || ssl === null || ssl === false) return undefined;
  if (ssl === true) return { verifyIdentity: true, rejectUnauthorized: true };
  if (typeof ssl !== "object" || Array.isArray(ssl)) {
    throw new TypeError("ssl is neither true, false nor a map of settings");
  }
  const members = await Promise.all(
    Object.entries(ssl).map(async ([key, value]) => [key, await readMember(key, value, directory)]),
  );
  return { verifyIdentity: true, rejectUnauthorized: true, ...Object.fromEntries(members) };
}

async function readMember(key: string, value: unknown, directory: string): Promise<unknown> {
  if (FLAGS.includes(key) && typeof value === "boolean") return value;
  if (TEXTS.includes(key) && typeof value === "string") return value;
  if (FILES.includes(key) && typeof value === "string") {
    return await readPem(value, `ssl.${key}`, resolve(directory, value));
  }
  throw new TypeError(`ssl.${key} is no setting of MySQL, or not of its type`);
}
