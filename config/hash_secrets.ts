/**
 * Replaces plain passwords and API keys in users.cfg by their hashes.
 *
 * @module
 */

import { hashPassword, isPasswordHash } from "@/core/identity/passwords.ts";
import type { Configuration } from "./configuration.ts";
import { literalText } from "./expand.ts";
import { hashCost } from "./set_password.ts";
import { updateYamlFile } from "./store.ts";
import { HASHED_KEY, hashedKey } from "./users.ts";
import { parseYaml } from "./yaml.ts";

/** A secret in the file, and its hash. */
interface Replacement {
  readonly path: readonly [login: string, member: string];
  readonly hash: string;
}

/**
 * Hashes plain secrets and returns their number. References (`${NAME}`) to the environment stay. The file is not written
 * if there is nothing to do, or if it has changed since the configuration was read (the result is 0). The old file is
 * kept with `~` after its name. Throws if the file cannot be written.
 */
export async function hashPlainSecrets(
  { settings, texts }: Pick<Configuration, "settings" | "texts">,
): Promise<number> {
  const before = texts.get(settings.users_path) ?? "";
  const { value } = parseYaml(before);
  const replacements = await Promise.all(
    plainSecrets(value).map(async ({ path, text }) => {
      const hash = path[1] === "password" ? await hashPassword(text, hashCost(settings)) : hashedKey(text);
      return { path, hash };
    }),
  );
  return replacements.length === 0 ? 0 : await replace(settings.users_path, before, replacements);
}

async function replace(
  file: string,
  before: string,
  replacements: readonly Replacement[],
): Promise<number> {
  let count = 0;
  await updateYamlFile(file, {
    keepsOld: true,
    isWanted: (_document, text) => text === before,
    change: (document) => {
      for (const { path, hash } of replacements) document.setIn(path, hash);
      count = replacements.length;
    },
  });
  return count;
}

type PlainSecret = Pick<Replacement, "path"> & { readonly text: string };

function plainSecrets(users: unknown): readonly PlainSecret[] {
  return membersOf(users).flatMap(([login, user]) =>
    membersOf(user).flatMap(([member, raw]) => {
      const isPlain = IS_PLAIN.get(member);
      const text = typeof raw === "string" ? literalText(raw) : undefined;
      if (!isPlain || typeof raw !== "string" || text === undefined || !isPlain(text)) return [];
      return [{ path: [login, member] as const, text }];
    })
  );
}

const isPlainKey = (text: string) => text !== "" && !text.startsWith(HASHED_KEY);

/** An empty password counts as none, or is explicitly allowed. */
const IS_PLAIN: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["password", (text: string) => text !== "" && !isPasswordHash(text)],
  ["apikey", isPlainKey],
  ["api_key", isPlainKey],
]);

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
