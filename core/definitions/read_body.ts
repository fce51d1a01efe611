/**
 * Reads the body of a request that creates or changes a definition: one record of members.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  aliasesOf,
  type Complaint,
  DEFINITION_FILES,
  type DefinitionKind,
  formatComplaint,
  type Members,
  type Place,
} from "@/config/mod.ts";
import { inTurns } from "@/core/base/cooperative.ts";
import { didYouMean } from "@/core/base/nearest.ts";
import { badRecords, badRequest, quote, type ServiceError } from "@/core/errors.ts";
import { type Body, type BodySource, receiveBody } from "@/core/request/body.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import type { BodyRecord, BodyValue } from "@/plugins/contract.ts";
import { definitionSchema } from "./documents.ts";

/** Members of a body by their canonical names. */
export interface SentMembers {
  /** The id, if the body has it. */
  readonly id?: unknown;
  readonly members: Members;
  /** The values of the parameters of a query that is tried. Absent: it is not run. */
  readonly arguments?: unknown;
}

/** Largest mapping: the time that a file needs grows with its square. */
const MAX_KEYS = 2000;

/** The member of a check that a definition does not have. */
const ARGUMENTS = "arguments";

/**
 * Reads one record; that of a check may have arguments. Throws 400 for another number of records and for
 * unknown members, naming all of them.
 */
export async function readMembersOf(
  kind: DefinitionKind,
  source: BodySource,
  { format, limit, isCheck = false }: {
    readonly format: BodyFormat;
    readonly limit: number;
    readonly isCheck?: boolean;
  },
): Promise<SentMembers> {
  const input = {
    name: kind,
    columns: new Map<string, never>(),
    nullMarker: "<null>",
    csvNullStr: false,
    parameters: {},
  };
  const { records, label } = await receiveBody(source, format, { input, limit });
  const record = await inTurns(onlyOne(records));
  const names = namesOf(kind);
  if (isCheck && kind === "querydef") names.set(ARGUMENTS, ARGUMENTS);
  const { sent, complaints } = readRecord(record, names);
  if (complaints.length > 0) throw refuseMembers(complaints, label);
  const { idMember } = DEFINITION_FILES[kind];
  const members = Object.fromEntries([...sent].filter(([name]) => name !== idMember && name !== ARGUMENTS));
  return {
    members,
    ...(sent.has(idMember) ? { id: sent.get(idMember) } : {}),
    ...(sent.has(ARGUMENTS) ? { arguments: sent.get(ARGUMENTS) } : {}),
  };
}

/** The values of a record by the canonical names of its members, and the mistakes in it. */
function readRecord(record: BodyRecord, names: ReadonlyMap<string, string>) {
  const complaints: MemberComplaint[] = [];
  const sent = new Map<string, unknown>();
  for (const [name, value] of record) {
    const complain = (message: string) => void complaints.push({ key: name, message });
    const member = names.get(name);
    if (member === undefined) {
      complain(`there is no such member${didYouMean(name, new Set(names.values()))}`);
      continue;
    }
    const read = plain(value, complain);
    if (sent.has(member) && !isDeepStrictEqual(sent.get(member), read)) {
      complain("it is there twice, under two names");
    }
    if (member !== ARGUMENTS && hasControl(read)) {
      complain("it has a control character other than tabs and line breaks");
    }
    sent.set(member, read);
  }
  return { sent, complaints };
}

/** The only record. Throws 400 for another number of records. */
function* onlyOne(records: Body["records"]): Generator<void, BodyRecord, void> {
  const found: BodyRecord[] = [];
  for (const record of records) {
    if (record) found.push(record);
    yield;
  }
  const [record, ...others] = found;
  if (record && others.length === 0) return record;
  throw badRequest(`Cannot use ${found.length} definitions: send exactly one`);
}

/** A mistake in a member of a definition, or in one inside it: its key is `ssl.ca` then. */
export type MemberComplaint = Pick<Complaint, "key" | "message">;

/**
 * The member of a key, and the name inside it, which may have any characters. The field of a form may have
 * many tables or users, but none has the number of an item.
 */
const IN_MEMBER = /^([^.]*)(?:\.(.*?))??(?:\.\d+)?$/s;

/** 400 with all complaints about the members of a definition. */
export function refuseMembers(
  complaints: readonly MemberComplaint[],
  label = "definition",
  textOf = ({ key, message }: MemberComplaint) => `${quote(key)}: ${message}`,
): ServiceError {
  return badRecords(complaints.map((complaint) => {
    const { key, message } = complaint;
    const [, column = "", inside = ""] = IN_MEMBER.exec(key) ?? [];
    const sentence = inside === "" ? message : `${quote(inside)}: ${message}`;
    const text = `Could not use ${label}: ${textOf(complaint)}`;
    return { record: 0, column: column || "id", sentence, text };
  }));
}

/** 400 with one complaint. */
export function refuseMember(key: string, message: string): ServiceError {
  return refuseMembers([{ key, message }]);
}

/** 400 with the complaints of the reader of the files; one without a key is about the id. */
export function refuseDefinition(complaints: readonly Complaint[]): ServiceError {
  const textOf = ({ key, message }: MemberComplaint) => formatComplaint({ file: "", key, message });
  return refuseMembers(complaints, "definition", textOf);
}

/** Reads a definition that is in no file, by the reader of its file. Throws 400 with all mistakes. */
export function readOrRefuse<T>(
  read: (id: string, members: Members, place: Place) => T,
  id: string,
  members: Members,
): T {
  const complaints: Complaint[] = [];
  const definition = read(id, members, { file: "", key: "", complaints });
  if (complaints.length > 0) throw refuseDefinition(complaints);
  return definition;
}

/** The canonical names of members by the names that are accepted. */
function namesOf(kind: DefinitionKind): Map<string, string> {
  const { members, idMember, idAlias = idMember } = DEFINITION_FILES[kind];
  const names = Object.keys(definitionSchema(kind).properties).map((name) => [name, name] as const);
  return new Map([...names, [idAlias, idMember], ...Object.entries(aliasesOf(members))]);
}

function plain(value: BodyValue, complain: (message: string) => void): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value.kind === "empty") return null;
  if (value.kind === "number") return Number(value.text);
  try {
    const parsed: unknown = JSON.parse(value.text);
    if (isTooWide(parsed)) complain(`one of its mappings has more than ${MAX_KEYS} members`);
    return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    complain("lists and mappings can be sent as JSON only");
    return null;
  }
}

// deno-lint-ignore no-control-regex -- control characters are what has to be found
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Whether a text in a value, or the name of a member, has such a character. */
function hasControl(value: unknown): boolean {
  if (typeof value === "string") return CONTROL.test(value);
  return typeof value === "object" && value !== null && Object.entries(value).flat().some(hasControl);
}

function isTooWide(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const items: readonly unknown[] = Object.values(value);
  return (!Array.isArray(value) && items.length > MAX_KEYS) || items.some(isTooWide);
}
