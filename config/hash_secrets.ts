/**
 * Replaces the passwords and API keys that stand in users.cfg as they are by their hashes.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { hashPassword, isPasswordHash } from "@/core/passwords.ts";
import type { Configuration } from "./configuration.ts";
import { literalText } from "./expand.ts";
import { readText } from "./files.ts";
import { hashCost } from "./set_password.ts";
import { updateYamlFile } from "./store.ts";
import { HASHED_KEY } from "./users.ts";
import { parseYaml } from "./yaml.ts";

/** A secret in the file, and what takes its place. */
interface Replacement {
  readonly path: readonly [login: string, member: string];
  readonly raw: string;
  readonly hash: string;
}

/**
 * Hashes what is written plainly and gives the number of such secrets. What comes from the environment (`${NAME}`) stays a
 * reference; the file is not touched when there is nothing to do. Throws when it cannot be written.
 */
export async function hashPlainSecrets({ settings }: Pick<Configuration, "settings">): Promise<number> {
  const { value } = parseYaml(readText(settings.users_path, []) ?? "");
  const replacements = await Promise.all(
    plainSecrets(value).map(async ({ path, raw, text }) => {
      const hash = path[1] === "password" ? await hashPassword(text, hashCost(settings)) : hashKey(text);
      return { path, raw, hash };
    }),
  );
  if (replacements.length > 0) await replace(settings.users_path, replacements);
  return replacements.length;
}

async function replace(file: string, replacements: readonly Replacement[]): Promise<void> {
  await updateYamlFile(file, (document) => {
    for (const { path, raw, hash } of replacements) {
      // Somebody may have changed it since it was read.
      if (document.getIn(path) === raw) document.setIn(path, hash);
    }
  });
}

type PlainSecret = Pick<Replacement, "path" | "raw"> & { readonly text: string };

function plainSecrets(users: unknown): readonly PlainSecret[] {
  return membersOf(users).flatMap(([login, user]) =>
    membersOf(user).flatMap(([member, raw]) => {
      const isPlain = IS_PLAIN.get(member);
      const text = typeof raw === "string" ? literalText(raw) : undefined;
      if (!isPlain || typeof raw !== "string" || text === undefined || !isPlain(text)) return [];
      return [{ path: [login, member] as const, raw, text }];
    })
  );
}

const isPlainKey = (text: string) => text !== "" && !text.startsWith(HASHED_KEY);

/** An empty password is none, or is allowed to be empty. */
const IS_PLAIN: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["password", (text: string) => text !== "" && !isPasswordHash(text)],
  ["apikey", isPlainKey],
  ["api_key", isPlainKey],
]);

function hashKey(key: string): string {
  return HASHED_KEY + createHash("sha256").update(key).digest("hex");
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
