/**
 * Reads a YAML file that is a map keyed by id: databases.cfg, users.cfg and querydefs.cfg.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import { type Block, block } from "@/plugins/kit/members.ts";
import { complain, inside, type Loading, type Place } from "./configuration.ts";
import { expandAll } from "./expand.ts";
import { parseYaml } from "./yaml.ts";

/** The rules for the entries of one file. */
interface EntryKind<T> {
  /** The members that repeat the id: `db_id`. */
  readonly idMembers: readonly string[];
  /** Aliases of members: `{api_key: "apikey"}`. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly read: (id: string, members: Block, place: Place) => T;
  /** The settings that `read` depends on. Absent: it depends on more than the entry's data. */
  readonly sameFor?: string;
}

const LONGEST_ID = 128;
const ID = /^(?![xX][mM][lL])[A-Za-z_][A-Za-z0-9@_~-]*$/;
/** The JSON Schema of an id. */
export const ID_SCHEMA = { type: "string", maxLength: LONGEST_ID, pattern: ID.source } as const;

/** The place of a whole file. */
export function placeOf(file: string, { complaints }: Pick<Loading, "complaints">): Place {
  return { file, key: "", complaints };
}

/**
 * The text of a file, without byte order mark; undefined if it does not exist or is unreadable (a complaint).
 */
export function readText(place: Place): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(place.file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof TypeError) return complain(place, "Expected UTF-8 text, found other bytes");
    if (error instanceof Error) return complain(place, `Cannot read file: ${error.message}`);
    throw error;
  }
}

/** The content of a YAML file with references replaced; undefined if it is missing, empty or wrong. */
export function readYamlFile(place: Place, loading: Loading): Block | undefined {
  const value = readRawFile(place, loading);
  return value === null ? undefined : block(expandAll(value, place, loading.environment), place);
}

/** The content of a YAML file; null if it is missing, empty or wrong. */
function readRawFile(place: Place, loading: Loading): unknown {
  const text = loading.texts.get(place.file) ?? readText(place);
  if (text !== undefined) loading.read.set(place.file, text);
  const { value, faults } = parseYaml(text ?? "");
  for (const fault of faults) complain(place, fault);
  return value;
}

/**
 * Entries by their data in the file, and by {@link EntryKind.sameFor}; only those
 * without references and complaints.
 */
const known = new WeakMap<object, Map<string, unknown>>();

/** Every entry of a file by its id. */
export function readEntries<T>(file: string, loading: Loading, kind: EntryKind<T>): ReadonlyMap<string, T> {
  const place = placeOf(file, loading);
  const entries = new Map<string, T>();
  const value = readRawFile(place, loading);
  const raw = value === null ? undefined : block(value, place);
  for (const [id, data] of Object.entries(raw ?? {})) {
    const at = inside(place, id);
    checkId(id, at);
    const entry = readKnown(id, data, { at, loading, kind });
    if (entry !== undefined) entries.set(id, entry);
  }
  return entries;
}

interface Reading<T> {
  readonly at: Place;
  readonly loading: Loading;
  readonly kind: EntryKind<T>;
}

/**
 * The same object for the same data, so that unchanged entries are neither read nor compared again.
 */
function readKnown<T>(id: string, data: unknown, reading: Reading<T>): T | undefined {
  const { at, loading: { complaints, warnings }, kind: { sameFor } } = reading;
  if (sameFor === undefined || typeof data !== "object" || data === null) return readEntry(id, data, reading);
  const key = `${sameFor} ${id} ${at.file}`;
  const found = known.get(data)?.get(key);
  if (found !== undefined) return found as T;
  const before = complaints.length + warnings.length;
  const entry = readEntry(id, data, reading);
  const isSilent = complaints.length + warnings.length === before;
  if (isSilent && !JSON.stringify(data).includes("${")) {
    known.getOrInsertComputed(data, () => new Map()).set(key, entry);
  }
  return entry;
}

function readEntry<T>(id: string, data: unknown, { at, loading, kind }: Reading<T>): T | undefined {
  const members = block(expandAll(data, at, loading.environment), at);
  return members && kind.read(id, canonical(id, members, kind, at), at);
}

function checkId(id: string, place: Place): void {
  if (id.length > LONGEST_ID) {
    complain(place, `Expected an id of at most ${LONGEST_ID} characters, found ${id.length}`);
  }
  if (ID.test(id)) return;
  complain(
    place,
    `Expected an id that starts with a letter or _ (not with "xml") and has letters, digits, @, _, ~ and -, found ${
      quote(id)
    }`,
  );
}

/** The members with aliases replaced, without those that repeat the id. */
function canonical<T>(
  id: string,
  members: Block,
  { idMembers, aliases = {} }: EntryKind<T>,
  place: Place,
): Block {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const target = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    if (target !== undefined && Object.hasOwn(members, target)) {
      complain(inside(place, name), `Is another name of ${quote(target)}, which is there, too`);
    }
    if (!idMembers.includes(name)) result[target ?? name] = value;
    else if (value !== id && value !== null) {
      complain(inside(place, name), `Expected the same id as its key, ${quote(id)}, found another`);
    }
  }
  return result;
}
