/**
 * The encryption of connections, as definitions of databases ask for it.
 *
 * @module
 */

import { resolve } from "node:path";
import { readPem } from "@/plugins/kit/pem.ts";

/** Encryption of connections; undefined stands for none. */
export interface Encryption {
  /** False: continues in plain text with a server without TLS. */
  readonly required: boolean;
  /** The certificate must come from a known authority, and name the host. */
  readonly verifies: "nothing" | "authority" | "host";
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const PREFERRED: Encryption = { required: false, verifies: "nothing" };
const VERIFIED: Encryption = { required: true, verifies: "host" };

const MODES: ReadonlyMap<unknown, Encryption | undefined> = new Map<unknown, Encryption | undefined>([
  [undefined, undefined],
  [null, undefined],
  [false, undefined],
  ["disable", undefined],
  ["allow", PREFERRED],
  ["prefer", PREFERRED],
  ["require", { required: true, verifies: "nothing" }],
  ["verify-ca", { required: true, verifies: "authority" }],
  ["verify-full", VERIFIED],
  [true, VERIFIED],
]);

const FILES = ["ca", "cert", "key"] as const;

/**
 * Reads `ssl` of a definition: `true`, `false`, a word of libpq's `sslmode`, or an object with `ca`, `cert`,
 * `key` (PEM text, or the name of a file) and `rejectUnauthorized`. Throws a TypeError that describes the
 * mistake. Files are relative to `directory`.
 */
export async function readEncryption(ssl: unknown, directory: string): Promise<Encryption | undefined> {
  if (MODES.has(ssl)) return MODES.get(ssl);
  if (typeof ssl !== "object" || ssl === null || Array.isArray(ssl)) {
    const words = [...MODES.keys()].filter((mode) => typeof mode === "string");
    throw new TypeError(`ssl is none of true, false, ${words.join(", ")}, nor an object`);
  }
  const options = new Map<string, unknown>(Object.entries(ssl));
  for (const name of options.keys()) {
    if (![...FILES, "rejectUnauthorized"].includes(name)) {
      throw new TypeError(`ssl.${name} is none of ${FILES.join(", ")}, rejectUnauthorized`);
    }
  }
  const rejects = options.get("rejectUnauthorized") ?? true;
  if (typeof rejects !== "boolean") throw new TypeError("ssl.rejectUnauthorized is neither true nor false");
  const texts = await Promise.all(FILES.map((name) => readText(name, options.get(name), directory)));
  return Object.assign({ required: true, verifies: rejects ? "host" : "nothing" } as const, ...texts);
}

async function readText(name: string, value: unknown, directory: string): Promise<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "string") {
    throw new TypeError(`ssl.${name} is neither PEM text nor the name of a file`);
  }
  return { [name]: await readPem(value, `ssl.${name}`, resolve(directory, value)) };
}
