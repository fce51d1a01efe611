/**
 * Removes secrets and file paths from a driver's message before it is shown.
 *
 * @module
 */

import { type Configuration, DEFINITION_FILES, secretsIn } from "@/config/mod.ts";
import { ascii } from "@/core/errors.ts";
import type { DatabaseDefinition } from "@/core/model.ts";

const LONGEST = 300;
const HIDDEN = "***";

/** A driver's message for users who administer the database. */
export function scrub(message: string, definition: DatabaseDefinition, configuration: Configuration): string {
  // Only the secrets that were used to connect: a user who controls part of the message could otherwise test guesses by
  // whether they are hidden.
  const secrets = secretsIn(DEFINITION_FILES.dbdef.members, definition)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  // The longest first, because one may be part of another.
  const ordered = [...new Set(secrets)].filter((secret) => secret !== "").toSorted((a, b) =>
    b.length - a.length
  );
  const hidden = ordered.reduce((text, secret) => text.replaceAll(secret, () => HIDDEN), message);
  const { home, config, state, log } = configuration.directories;
  const places = [[config, "{config_dir}"], [state, "{state_dir}"], [log, "{log_dir}"], [
    home ?? "",
    "{home}",
  ]] as const;
  const placed = places.reduce(
    (text, [path, name]) => path === "" ? text : text.replaceAll(path, () => name),
    hidden,
  );
  return ascii(placed.replace(/\s+/g, " ")).slice(0, LONGEST);
}
