/**
 * Reads a YAML file that is a map keyed by id: databases.cfg, users.cfg and querydefs.cfg.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import { complain, inside, type Loading, type Place } from "./configuration.ts";
import { expandAll } from "./expand.ts";
import { type Block, block } from "@/plugins/kit/members.ts";
import { parseYaml } from "./yaml.ts";

/** The rules for the entries of one file. */
export interface EntryKind<T> {
  /** The member that repeats the id: `db_id`. */
  readonly idMember: string;
  /** Aliases of members: `{api_key: "apikey"}`. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly read: (id: string, members: Block, place: Place) => T;
}

const LONGEST_ID = 128;
const ID = /^(?![xX][mM][lL])[A-Za-z_][A-Za-z0-9@_~-]*$/;
/** The JSON Schema of an id. */
export const ID_SCHEMA = { type: "string", maxLength: LONGEST_ID, pattern: ID.source } as const;

/** The place of a whole file. */
export function placeOf(file: string, { complaints }: Pick<Loading, "complaints">): Place {
  return { file, key: "", complaints };
}

/** The text of a file, without byte order mark; undefined if it does not exist or is unreadable (a complaint). */
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
  const text = loading.texts.get(place.file) ?? readText(place);
  if (text !== undefined) loading.read.set(place.file, text);
  const { value, faults } = parseYaml(text ?? "");
  for (const fault of faults) complain(place, fault);
  if (value === null) return undefined;
  return block(expandAll(value, place, loading.environment), place);
}

/** Every entry of a file by its id. */
export function readEntries<T>(file: string, loading: Loading, kind: EntryKind<T>): ReadonlyMap<string, T> {
  const place = placeOf(file, loading);
  const entries = new Map<string, T>();
  for (const [id, value] of Object.entries(readYamlFile(place, loading) ?? {})) {
    const at = inside(place, id);
    checkId(id, at);
    const members = block(value, at);
    if (members) entries.set(id, kind.read(id, canonical(id, members, kind, at), at));
  }
  return entries;
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

/** The members with aliases replaced, without the one that repeats the id. */
function canonical<T>(
  id: string,
  members: Block,
  { idMember, aliases = {} }: EntryKind<T>,
  place: Place,
): Block {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const target = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    if (target !== undefined && Object.hasOwn(members, target)) {
      complain(inside(place, name), `Is another name of ${quote(target)}, which is there, too`);
    }
    if (name !== idMember) result[target ?? name] = value;
    else if (value !== id && value !== null) {
      complain(inside(place, name), `Expected the same id as its key, ${quote(id)}, found another`);
    }
  }
  return result;
}
