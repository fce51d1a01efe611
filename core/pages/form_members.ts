/**
 * The members of a body from the fields of a form. Pure.
 *
 * | field | means |
 * |---|---|
 * | `c.{column}` | below `/db`: a value as text; an empty one of a new record is left to the database, unless `ui.empty` names it; one that `ui.unfilled` names is NULL; blanks around one that `ui.trimmed` names are left out |
 * | `n.{column}` | the value is NULL; but a text in `c.` counts where the form showed none: `ui.null` names these columns |
 * | `ui.kept.{column}` | the mark of a value that is not sent unless `c.` has another one |
 * | `r.{relation}` | the key of a related record, for the columns that `ui.key.{relation}` names; empty: these have their own values |
 * | `s.{member}` | a text; empty: null |
 * | `n.{member}` | null, whatever `s.` has |
 * | `p.{member}` | a secret; empty: it stays as it is |
 * | `i.{member}` | a number; empty: null |
 * | `b.{member}` | a switch; those of a form are listed in `ui.switches` |
 * | `l.{member}` | a list, one element in a line |
 * | `v.{member}` | a list, one element in each field; those of a form are listed in `ui.lists` |
 * | `o.{member}` | an object whose members are true, one in each field; listed in `ui.objects` |
 * | `t.{member}` | columns by table, a table in a line: `Employee: Salary, BirthDate`; or JSON |
 *
 * A member may be inside another one: `s.autoload_user.dbuser`. The databases of a user are a matrix:
 * `ui.databases` lists them, `ui.use` those that the user may use, `ui.all` those with every right,
 * `m.{[database, table] as JSON}` the rights on a table, `d.dbuser.{database}` and
 * `d.dbpass.{database}` the login.
 *
 * @module
 */

import { badRequest, quote, type ServiceError } from "@/core/errors.ts";
import type { Json } from "@/core/model.ts";
import { CHOSEN, KEY_COLUMNS, readKeyText } from "@/core/pages/records/chosen_key.ts";
import { isKept, KEPT } from "@/core/pages/records/kept_text.ts";

type Values = ReadonlyMap<string, readonly string[]>;
type Members = { [name: string]: Json };

/** `path` is that of the resource: below `/db` fields are columns, elsewhere members of a definition. */
export function formMembers(path: string, values: Values): Readonly<Members> {
  return path.startsWith("/db/") ? columnsOf(values) : membersOf(values);
}

function columnsOf(values: Values): Members {
  const isNew = (values.get("ui.method")?.[0] ?? "POST") === "POST";
  const empty = new Set(values.get("ui.empty"));
  const unfilled = new Set(values.get("ui.unfilled"));
  const nulls = new Set(values.get("ui.null"));
  const trimmed = new Set(values.get("ui.trimmed"));
  const members: Members = {};
  for (const [field, [sent = ""]] of values) {
    // A file that nobody chose is not sent, but its switch is.
    if (field.startsWith("n.") && !values.has(`c.${field.slice(2)}`)) put(members, [field.slice(2)], null);
    if (!field.startsWith("c.")) continue;
    const name = field.slice(2);
    const value = trimmed.has(name) ? sent.trim() : sent;
    const isNull = values.has(`n.${name}`);
    // Without the script the switch stays on while somebody types.
    const isTyped = value !== "" && nulls.has(name);
    if (isNull && !isTyped) put(members, [name], null);
    else if (isKept(sent, values.get(KEPT + name)?.[0])) continue;
    else if (value === "" && unfilled.has(name)) put(members, [name], null);
    else if (value !== "" || !isNew || empty.has(name)) put(members, [name], value);
  }
  for (const [field, [value = ""]] of values) {
    if (!field.startsWith(`${CHOSEN}.`) || value === "") continue;
    const relation = field.slice(CHOSEN.length + 1);
    const columns = values.get(KEY_COLUMNS + relation) ?? [];
    const key = readKeyText(value, columns.length);
    // People may have typed a name.
    if (!key) throw unreadable(relation, "No record has this key: search for it");
    for (const [index, column] of columns.entries()) put(members, [column], key[index] ?? "");
  }
  return members;
}

/** 400 for a field whose text stands for no value. */
function unreadable(column: string, sentence: string): ServiceError {
  const complaints = [{ record: 0, column, sentence }];
  return badRequest(`${quote(column)}: ${sentence}`, { complaints });
}

function membersOf(values: Values): Members {
  const members: Members = {};
  for (const name of values.get("ui.switches") ?? []) put(members, [name], false);
  for (const name of values.get("ui.lists") ?? []) put(members, [name], []);
  for (const name of values.get("ui.objects") ?? []) put(members, [name], {});
  for (const [field, all] of values) {
    const [, kind = "", name = ""] = /^([a-z])\.(.+)$/s.exec(field) ?? [];
    const value = READERS[kind]?.(all, name);
    if (value !== undefined) put(members, pathOf(name), value);
  }
  if (values.has("ui.databases")) put(members, ["databases"], databasesOf(values));
  return members;
}

type Reader = (values: readonly string[], name: string) => Json | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  s: ([value = ""]) => value === "" ? null : value,
  n: () => null,
  p: ([value = ""]) => value === "" ? undefined : value,
  i: ([value = ""]) => value === "" ? null : /^\d+$/.test(value) ? Number(value) : value,
  b: ([value]) => value === "true",
  l: ([value = ""]) => value.split("\n").map((line) => line.trim()).filter((line) => line !== ""),
  v: (values) => [...values],
  o: (values) => Object.fromEntries(values.map((value) => [value, true])),
  t: ([value = ""], name) => readColumns(value, name),
};

/** Members inside one another; no definition has so many. */
const DEEPEST = 10;

/** Throws 400 for a name that would be taken apart for ever. */
function pathOf(name: string): readonly string[] {
  const path = name.split(".", DEEPEST + 1);
  if (path.length > DEEPEST) throw badRequest(`A field of the form has more than ${DEEPEST} parts`);
  return path;
}

/** Own properties only: a member may have the name `__proto__`. */
function put(members: Members, path: readonly string[], value: Json): void {
  const [name, ...below] = path;
  if (name === undefined) return;
  if (below.length === 0) {
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const known = Object.hasOwn(members, name) ? members[name] : undefined;
  const inner: Members = isMembers(known) ? known : {};
  put(inner, below, value);
  if (inner !== known) put(members, [name], inner);
}

function isMembers(value: Json | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function databasesOf(values: Values): Members {
  const databases: Members = {};
  const used = new Set(values.get("ui.use"));
  const whole = new Set(values.get("ui.all"));
  for (const id of values.get("ui.databases") ?? []) {
    if (!used.has(id)) continue;
    const [dbuser = ""] = values.get(`d.dbuser.${id}`) ?? [];
    const [dbpass = ""] = values.get(`d.dbpass.${id}`) ?? [];
    const access = whole.has(id) ? {} : { access: accessOf(id, values) };
    put(databases, [id], { dbuser, ...(dbpass === "" ? {} : { dbpass }), ...access });
  }
  return databases;
}

/** A table has the rights of all others if its row says so, and has no other switch on. */
function accessOf(id: string, values: Values): Members {
  const access: Members = {};
  for (const written of values.get(`ui.tables.${id}`) ?? []) {
    const operations = values.get(`m.${JSON.stringify([id, written])}`) ?? [];
    const isSame = operations.join() === "same";
    if (!isSame) put(access, [written], operations.filter((each) => each !== "same"));
  }
  return access;
}

/** Names with a comma, a colon or spaces at their ends need JSON, as tables without columns do. */
const PLAIN = /^(?![\s{])[^,:\n]*[^,:\s]$/;

/** Columns by table as the text of a form. */
export function columnsText(tables: Readonly<Record<string, readonly string[]>>): string {
  const entries = Object.entries(tables);
  const isPlain = entries.every(([table, columns]) => {
    return columns.length > 0 && [table, ...columns].every((name) => PLAIN.test(name));
  });
  if (!isPlain) return JSON.stringify(tables, null, 2);
  return entries.map(([table, columns]) => `${table}: ${columns.join(", ")}`).join("\n");
}

function readColumns(text: string, name: string): Json {
  if (text.trimStart().startsWith("{")) return parse(text, name);
  const members: Members = {};
  for (const line of text.split("\n").map((each) => each.trim()).filter((each) => each !== "")) {
    const [table = "", columns = "", ...rest] = line.split(":");
    if (columns === "" || rest.length > 0) {
      throw unreadable(name, "write a table, a colon and its columns in each line");
    }
    put(members, [table.trim()], columns.split(",").map((each) => each.trim()).filter((each) => each !== ""));
  }
  return members;
}

function parse(text: string, name: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadable(name, "this is no JSON");
  }
}
