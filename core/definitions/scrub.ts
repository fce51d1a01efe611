/**
 * Removes secrets and paths from messages of drivers.
 *
 * @module
 */

import { type Configuration, secretsOf } from "@/config/mod.ts";
import { ascii } from "@/core/errors.ts";
import type { DatabaseDefinition } from "@/core/model.ts";

/** Characters of a message. */
const LONGEST = 300;
/** Characters of a secret that is hidden: gaps in words would tell a shorter one. */
const SHORTEST = 4;

/** A driver's message for users who administer the database. */
export function scrub(message: string, definition: DatabaseDefinition, configuration: Configuration): string {
  // Only the secrets that were used to connect: a user who controls part of the message could otherwise test
  // guesses by whether they are hidden.
  const secrets = secretsOf(definition).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  // The longest first, because one may be part of another.
  const ordered = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST).toSorted((a, b) =>
    b.length - a.length
  );
  const hidden = ordered.reduce((text, secret) => text.replaceAll(secret, () => "***"), message);
  const { home = "", config, state, log } = configuration.directories;
  const places = { "{config_dir}": config, "{state_dir}": state, "{log_dir}": log, "{home}": home };
  const placed = Object.entries(places).reduce(
    (text, [name, path]) => path === "" ? text : text.replaceAll(wholePath(path), () => name),
    hidden,
  );
  return ascii(placed.replace(/\s+/g, " ")).slice(0, LONGEST);
}

/** Finds a directory, but not the beginning of a sibling's name: `/srv/config` in `/srv/config-old/x.db`. */
function wholePath(path: string): RegExp {
  return new RegExp(`${RegExp.escape(path)}(?!\\.?[\\p{L}\\p{N}_-])`, "gu");
}
