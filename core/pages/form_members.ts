/**
 * The members of a body from the fields of a form. Pure.
 *
 * | field | means |
 * |---|---|
 * | `c.{column}` | a value as text; an empty one of a new record is left to the database |
 * | `n.{column}` | the value is NULL, whatever `c.` has |
 * | `s.{member}` | a text; empty: the member is absent |
 * | `b.{member}` | a switch: `true` if it is on; `b.{member}` is listed in `ui.switches` |
 * | `l.{member}` | a list, one element in a line |
 * | `j.{member}` | JSON |
 *
 * @module
 */

import { badRequest } from "@/core/errors.ts";
import type { Json } from "@/core/model.ts";

type Values = ReadonlyMap<string, readonly string[]>;

/** `path` is that of the resource: below `/db` fields are columns, elsewhere members of a definition. */
export function formMembers(path: string, values: Values): Readonly<Record<string, Json>> {
  return path.startsWith("/db/") ? columnsOf(values) : membersOf(values);
}

function columnsOf(values: Values): Readonly<Record<string, Json>> {
  const isNew = (values.get("ui.method")?.[0] ?? "POST") === "POST";
  const members: [string, Json][] = [];
  for (const [field, [value = ""]] of values) {
    if (!field.startsWith("c.")) continue;
    const name = field.slice(2);
    const isNull = values.has(`n.${name}`);
    if (isNull && !(isNew && value !== "")) members.push([name, null]);
    // Browsers send line breaks of text areas as two characters.
    else if (value !== "" || !isNew) members.push([name, value.replaceAll("\r\n", "\n")]);
  }
  return Object.fromEntries(members);
}

function membersOf(values: Values): Readonly<Record<string, Json>> {
  const members: [string, Json][] = [];
  for (const [field, [value = ""]] of values) {
    const [, kind, name = ""] = /^([sljb])\.(.+)$/s.exec(field) ?? [];
    if (kind === "s") members.push([name, value === "" ? null : value.replaceAll("\r\n", "\n")]);
    else if (kind === "b") members.push([name, value === "true"]);
    else if (kind === "l") {
      members.push([
        name,
        value.split(/\r?\n/).map((line) => line.trim()).filter(Boolean),
      ]);
    } else if (kind === "j") members.push([name, parse(value, name)]);
  }
  for (const name of values.get("ui.switches") ?? []) {
    if (!values.has(`b.${name}`)) members.push([name, false]);
  }
  return Object.fromEntries(members);
}

function parse(text: string, name: string): Json {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw badRequest(`"${name}": this is no JSON`, { errors: [`"${name}": this is no JSON`] });
    }
    throw error;
  }
}
