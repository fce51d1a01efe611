/**
 * The parts of member tables: one row defines how a member of a definition is
 * written, read, described and shown.
 *
 * @module
 */

import type { DatabaseDefinition, Json, JsonObject } from "@/core/model.ts";
import {
  type Block,
  block,
  defined,
  filledText,
  flag,
  listOf as readList,
  mapOf as readMap,
  oneOf,
  type Reader,
  readMembers,
  text,
} from "@/plugins/kit/members.ts";
import { complain, inside, type Place } from "./configuration.ts";

/** The reader, the schema and the printer of values of one type. */
export interface MemberType<T> {
  readonly read: Reader<T>;
  /** JSON Schema of a value in requests and answers. */
  readonly schema: JsonObject;
  /** The value in answers, without secrets. */
  show(value: T): Json;
  /** Whether the value at a path inside is never shown. Absent: all of it is shown. */
  isSecret?(path: readonly string[]): boolean;
}

/** One row of a table of members. */
export interface Member<T = unknown> {
  /** Its name in files, bodies and answers. */
  readonly wire: string;
  /** An accepted second name. */
  readonly alias?: string;
  readonly type: MemberType<T>;
  /** The value if the member is absent or wrong. */
  readonly initial?: T;
  /** A definition without it is refused. */
  readonly required?: true;
  /** Never shown. */
  readonly secret?: true;
  /** `sent`: only in requests; `answered`: only in answers. Absent: in definitions. */
  readonly only?: "sent" | "answered";
  /** True for a member whose change does not reconnect the database. */
  readonly keepsConnection?: true;
  /** It determines the address of a database, or the route to it. */
  readonly leads?: true;
  /**
   * Without it more is allowed. It has no empty value: commented-out lines
   * below it must not lift a restriction.
   */
  readonly restricts?: true;
  /** Its description in schemas. */
  readonly description?: string;
  /** Its meaning, for `docs/configuration.md`. */
  readonly doc?: string;
}

/** A row for every member of a definition; members that are never undefined need an initial value. */
export type MemberTable<T> = {
  readonly [Key in keyof T]-?:
    & Member<Exclude<T[Key], undefined>>
    & (undefined extends T[Key] ? { readonly initial?: never } : { readonly initial: T[Key] });
};

/** A table before its members have names: a row without `wire` has its key in snake case. */
type Rows<Table> = {
  readonly [Key in keyof Table]: Omit<Table[Key], "wire"> & { readonly wire?: string };
};

/** The table of these rows. */
export function named<Table>(rows: Rows<Table>): Table {
  const table = Object.entries<object>(rows).map(([key, row]) => {
    return [key, { wire: key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), ...row }];
  });
  // Every row of the table has all but its name; the type of fromEntries cannot express that.
  return Object.fromEntries(table) as Table;
}

type DefinitionRights = Pick<DatabaseDefinition, "creator" | "read" | "write" | "execute">;

/** A table of members of any definition. */
export type AnyMembers = Readonly<Record<string, Member>>;

/** Reads a block by the rows of its table. Absent optional members are left out. */
export function readByTable<T>(value: Block, place: Place, table: MemberTable<T>): T {
  const rows = Object.entries<Member>(table).filter(([, { only }]) => only === undefined);
  for (const [, { wire, restricts }] of rows) {
    if (restricts && Object.hasOwn(value, wire) && (value[wire] ?? null) === null) {
      complain(
        inside(place, wire),
        "Found nothing, which would lift a restriction: leave the member out for that",
      );
    }
  }
  const shape = Object.fromEntries(rows.map(([, { wire, type }]) => [wire, type.read]));
  const required = rows.filter(([, row]) => row.required).map(([, { wire }]) => wire);
  const read = readMembers(value, place, shape, required);
  const members = rows.map(([key, { wire, initial }]) => [key, read[wire] ?? initial] as const);
  // The table has a row of the right type for every member; the type of fromEntries cannot express that.
  return defined(Object.fromEntries(members)) as T;
}

/** JSON Schemas of the members by name. With `nulls`, absent members are null. */
export function memberSchemas(table: AnyMembers, nulls: boolean): JsonObject {
  return Object.fromEntries(Object.values(table).map((row) => [row.wire, memberSchema(row, nulls)]));
}

function memberSchema({ type, initial, secret, only, description }: Member, nulls: boolean): JsonObject {
  const mayBeNull = secret || (nulls && initial === undefined && only !== "answered");
  return {
    ...(mayBeNull ? orNull(type.schema) : type.schema),
    ...(secret || only === "sent" ? { writeOnly: true } : {}),
    ...(only === "answered" ? { readOnly: true } : {}),
    ...(description === undefined ? {} : { description }),
  };
}

/** Members of a definition in answers, without secrets. With `nulls`, absent members are null. */
export function showMembers(table: AnyMembers, definition: object, nulls: boolean): JsonObject {
  const members: Readonly<Record<string, unknown>> = { ...definition };
  const shown = Object.entries(table).flatMap(([key, { wire, type, secret, only }]) => {
    const value = members[key];
    if (secret || only !== undefined || (value === undefined && !nulls)) return [];
    return [[wire, value === undefined ? null : type.show(value)] as const];
  });
  return Object.fromEntries<Json>(shown);
}

/** Names of the members in answers. */
export function shownNames(table: AnyMembers): readonly string[] {
  return Object.values(table).flatMap(({ wire, secret, only }) => secret || only === "sent" ? [] : [wire]);
}

/** Other names of members: `{api_key: "apikey"}`. */
export function aliasesOf(table: AnyMembers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.values(table).flatMap(({ alias, wire }) => alias === undefined ? [] : [[alias, wire]]),
  );
}

/** Whether the value at a path inside a definition is never shown. */
export function isSecretMember(table: AnyMembers, [name, ...path]: readonly string[]): boolean {
  const row = Object.values(table).find(({ wire }) => wire === name);
  return row !== undefined && (row.secret === true || row.type.isSecret?.(path) === true);
}

/** Allows null, which counts as absent, in a schema. */
export function orNull(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  return type === undefined ? schema : { type: [type, "null"], ...rest };
}

/** Values with one form for files, requests and answers. */
export function plain<T extends Json>(read: Reader<T>, schema: JsonObject): MemberType<T> {
  return { read, schema, show: (value) => value };
}

/** Any text. */
export const TEXT = plain(text, { type: "string" });
/** Text that is not empty. */
export const FILLED = plain(filledText, { type: "string", minLength: 1 });
/** True or false. */
export const FLAG = plain(flag, { type: "boolean" });
/** Texts that are not empty. */
export const NAMES = listOf(FILLED);
/** At least one name. */
export const SOME_NAMES = listOf(FILLED, 1);

/** The rights on a database or a query; `executes` describes the users of `execute`. */
export function rightsMembers(executes: string, doc: string): Rows<MemberTable<DefinitionRights>> {
  const list = { type: NAMES, initial: [], keepsConnection: true, doc } as const;
  return {
    creator: { ...list, type: TEXT, initial: "admin", description: "Who may do everything with it." },
    read: { ...list, description: "Users who may see this definition." },
    write: { ...list, description: "Users who may change and delete it." },
    execute: { ...list, description: executes },
  };
}

/** Lists of some of these words. */
export function wordsOf<Word extends string>(...words: readonly Word[]): MemberType<readonly Word[]> {
  return listOf(plain(oneOf(words), { enum: words }));
}

/** Lists. */
export function listOf<T>(type: MemberType<T>, least = 0): MemberType<readonly T[]> {
  return {
    read: readList(type.read, least),
    schema: { type: "array", items: type.schema, ...(least > 0 ? { minItems: least } : {}) },
    show: (value) => value.map((item) => type.show(item)),
  };
}

/** Mappings from names to values of one type. */
export function mapOf<T>(type: MemberType<T>): MemberType<ReadonlyMap<string, T>> {
  return {
    read: readMap(type.read),
    schema: { type: "object", additionalProperties: type.schema },
    show: (value) => Object.fromEntries([...value].map(([key, item]) => [key, type.show(item)])),
    isSecret: ([, ...path]) => type.isSecret?.(path) === true,
  };
}

/** Mappings with their own table. Absent members are not shown. */
export function objectOf<T extends object>(
  rows: Rows<MemberTable<T>>,
): MemberType<T> & { readonly empty: T } {
  const table = named<MemberTable<T>>(rows);
  const required = Object.values<Member>(table).filter((row) => row.required).map(({ wire }) => wire);
  return {
    read: (value, place) => {
      const members = block(value, place);
      return members && readByTable(members, place, table);
    },
    schema: {
      type: "object",
      ...(required.length > 0 ? { required } : {}),
      properties: memberSchemas(table, false),
      additionalProperties: false,
    },
    show: (value) => showMembers(table, value, false),
    isSecret: (path) => isSecretMember(table, path),
    empty: readByTable({}, { file: "", key: "", complaints: [] }, table),
  };
}
