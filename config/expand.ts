/**
 * Replaces `${NAME}` by environment variables and `${file:PATH}` by the text of
 * files. `$${` stands for the text `${`.
 *
 * @module
 */

import { resolve } from "node:path";
import { quote } from "@/core/errors.ts";
import { complain, type Directories, type Environment, inside, type Place } from "./configuration.ts";

/** The environment; the names of the service's directories take precedence. */
export function withBuiltIns(environment: Environment, directories: Directories): Environment {
  return {
    ...environment,
    ...(directories.home === undefined ? {} : { ROWHOUSE_HOME: directories.home }),
    ROWHOUSE_CONFIG: directories.config,
    ROWHOUSE_STATE: directories.state,
    ROWHOUSE_LOG: directories.log,
  };
}

/**
 * A value with its references replaced; undefined, with a complaint, if a variable
 * is not set or a file not readable.
 */
export function expand(text: string, place: Place, environment: Environment): string | undefined {
  let complete = true;
  const expanded = text.replace(/\$\$\{|\$\{([^}]*)\}/g, (_, name?: string) => {
    if (name === undefined) return "${";
    const value = name.startsWith(FILE)
      ? readSecret(name.slice(FILE.length), place, environment)
      : valueOf(name, place, environment);
    complete &&= value !== undefined;
    return value ?? "";
  });
  return complete ? expanded : undefined;
}

/** The unescaped value if it is literal; undefined if a part comes from the environment. */
export function literalText(raw: string): string | undefined {
  let isLiteral = true;
  const text = raw.replace(/\$\$\{|\$\{[^}]*\}/g, (found) => {
    isLiteral &&= found === "$${";
    return "${";
  });
  return isLiteral ? text : undefined;
}

/** Expands every string in lists and mappings, except keys. */
export function expandAll(value: unknown, place: Place, environment: Environment): unknown {
  return replaceTexts(value, place, (text, at) => expand(text, at, environment) ?? text);
}

/** Reverses {@link expandAll} for literal values: every `${` becomes `$${`. */
export function escapeAll(value: unknown): unknown {
  const place = { file: "", key: "", complaints: [] };
  return replaceTexts(value, place, (text) => text.replaceAll("${", () => "$${"));
}

function replaceTexts(value: unknown, place: Place, change: (text: string, at: Place) => string): unknown {
  if (typeof value === "string") return change(value, place);
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceTexts(item, inside(place, index), change));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceTexts(item, inside(place, key), change)]),
  );
}

const FILE = "file:";

/** Bytes. */
const LARGEST_FILE = 1_048_576;

/**
 * The text of a file without the line break at its end. Relative paths begin at the configuration directory.
 */
function readSecret(path: string, place: Place, environment: Environment): string | undefined {
  const file = resolve(environment["ROWHOUSE_CONFIG"] ?? "", path);
  try {
    // Anything but a regular file may be endless, or block its reader.
    const { isFile, size } = Deno.statSync(file);
    if (isFile && size <= LARGEST_FILE) return Deno.readTextFileSync(file).replace(/\r?\n$/, "");
    complain(place, `${quote(file)} is no regular file of at most 1 MiB`);
  } catch (error) {
    complain(place, `${quote(file)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return undefined;
}

function valueOf(name: string, place: Place, environment: Environment): string | undefined {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (value === undefined) complainAbout(name, place);
  return value;
}

function complainAbout(name: string, place: Place): void {
  // Text that is not a name may be part of a password, so it is not repeated.
  complain(
    place,
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
      ? `Environment variable ${
        quote(name)
      } is not set: set it before the service starts, or write $\${ for the characters themselves`
      : "The text between ${ and } is no name of an environment variable: write $${ for the characters themselves",
  );
}
