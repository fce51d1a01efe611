/**
 * The server's messages without names of databases and constraints, and without the values in messages about duplicates,
 * which the caller may not be allowed to read.
 *
 * @module
 */

import { classify, numberOf } from "./failures.ts";

const NAME = "`((?:[^`]|``)*)`";
const FOREIGN_KEY = new RegExp(
  `\\(${NAME}\\.${NAME}, CONSTRAINT ${NAME} FOREIGN KEY \\((.+?)\\) REFERENCES (?:${NAME}\\.)?${NAME} \\((.+?)\\)`,
);
const QUALIFIED = new RegExp(`(?:${NAME}\\.)+${NAME}`, "g");

/** The message of failures that are neither integrity nor invalid. */
const SILENCE = "The database refused the statement";

/** The message for the caller. */
export function explain(error: unknown): string {
  const failure = classify(error);
  if (!(error instanceof Error) || (failure !== "integrity" && failure !== "invalid")) return SILENCE;
  switch (numberOf(error)) {
    case 1062:
    case 1586:
      return explainDuplicate(error.message);
    case 1451:
    case 1452:
      return explainForeignKey(error.message);
    case 4025:
      return error.message.replace(/ for .*$/s, "");
    case 1369:
      return "The view's CHECK OPTION failed";
    case 1761:
    case 1762:
      return "The change would lead to a duplicate entry in a table that refers to this one";
    case 1267:
    case 1270:
    case 1271:
    case 3854:
    case 3988:
      return "A value has characters that the column's encoding lacks";
    case 1064:
    case 1149:
      return "The statement is no SQL that this server understands";
    default:
      return withoutPaths(error.message);
  }
}

/** `Duplicate entry 'x-1' for key 'pet.PRIMARY'`: MySQL names the table, MariaDB does not. */
function explainDuplicate(message: string): string {
  const key = /for key '(?:.*\.)?([^']*)'$/s.exec(message)?.[1];
  return key === undefined ? "Duplicate entry" : `Duplicate entry for key '${key}'`;
}

/** Tables and columns in a form that the service can check for hidden names: `pet.owner_id`. */
function explainForeignKey(message: string): string {
  const [words = SILENCE] = message.split(" (`", 1);
  const [, , table = "", , columns, , other = "", references] = FOREIGN_KEY.exec(message) ?? [];
  if (columns === undefined || references === undefined) return words;
  return `${words}: ${pathsOf(table, columns)} references ${pathsOf(other, references)}`;
}

function pathsOf(table: string, columns: string): string {
  const names = [...columns.matchAll(new RegExp(NAME, "g"))].map(([, name = ""]) => name);
  return names.map((name) => `${table}.${name}`.replaceAll("``", "`")).join(", ");
}

/** Keeps the last part of qualified names; `at row 1` is meaningless, because rows are sent in portions. */
function withoutPaths(message: string): string {
  return message.replace(QUALIFIED, (path) => `'${path.slice(path.lastIndexOf("`.`") + 3, -1)}'`)
    .replace(/ at row \d+$/, "");
}
