/**
 * The service's secret, configured or generated once in the state directory, and the keys derived from it.
 *
 * @module
 */

import { hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import type { Settings } from "@/config/settings.ts";
import { ServiceError } from "@/core/errors.ts";
import { readIfThere, removeIfThere } from "@/core/storage/shared_file.ts";

/** Keys for one purpose: the current one, and the one that opens texts from before the secret was changed. */
export type Secrets = readonly [current: Uint8Array, ...previous: Uint8Array[]];

/** The purposes of keys; each has its own key. */
type SecretPurpose = "cookie" | "fingerprint" | "throttle" | "form" | "state";

/** Derives a key of 256 bits for a purpose, and the one from the previous secret. */
export type DeriveSecrets = (purpose: SecretPurpose) => Secrets;

type SecretSettings = Pick<Settings, "session.secret" | "session.secret_previous">;

/** `state` is the state directory: all processes that share it use the same secret. */
export async function loadSecrets(settings: SecretSettings, state: string): Promise<DeriveSecrets> {
  const secret = settings["session.secret"] ?? await generatedSecret(join(state, "session.secret"));
  const previous = settings["session.secret_previous"];
  return (purpose) => [
    derive(secret, purpose),
    ...(previous === undefined ? [] : [derive(previous, purpose)]),
  ];
}

/** Random bytes as text for URLs and cookies. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

/** Compares in a time that depends neither on where the texts differ nor on their lengths. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}

function derive(secret: string, purpose: SecretPurpose): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `rowhouse ${purpose} 1`, 32));
}

/**
 * Creating a hard link fails if the name exists, so of several processes that start at
 * once one creates the secret of all. Renaming is only for file systems without links.
 */
async function generatedSecret(path: string): Promise<string> {
  const found = await readSecret(path);
  if (found !== undefined) return found;
  await Deno.mkdir(join(path, ".."), { recursive: true });
  const temporary = `${path}.${randomToken(6)}.tmp`;
  await Deno.writeTextFile(temporary, `${randomToken(32)}\n`, { createNew: true, mode: 0o600 });
  try {
    await Deno.link(temporary, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) await Deno.rename(temporary, path);
  } finally {
    await removeIfThere(temporary);
  }
  const made = await readSecret(path);
  if (made === undefined) throw unusable(path, "was removed while the service started");
  return made;
}

async function readSecret(path: string): Promise<string | undefined> {
  const text = (await readIfThere(path))?.trim();
  if (text === undefined || text.length >= 32) return text;
  throw unusable(path, "is too short: remove the file, and a new one is made");
}

function unusable(path: string, why: string): ServiceError {
  return new ServiceError("internal", `The secret in "${path}" ${why}`);
}
