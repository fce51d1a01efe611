/**
 * Parses a `CREATE TABLE` of SQLite.
 *
 * @module
 */

import type { ColumnFixture, ForeignKeyFixture, TableFixture } from "./definition.ts";
import { TokenReader } from "./token_reader.ts";
import type { Token } from "./tokens.ts";

const CONSTRAINTS = ["NOT", "PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "GENERATED"];

interface Draft {
  readonly name: string;
  readonly columns: ColumnFixture[];
  readonly uniqueKeys: (readonly string[])[];
  readonly checks: (readonly Token[])[];
  readonly foreignKeys: ForeignKeyFixture[];
  primaryKey: readonly string[];
}

/** The table that the statement's tokens make. */
export function parseTable(tokens: readonly Token[]): TableFixture {
  const statement = new TokenReader(tokens);
  statement.expect("CREATE", "TABLE");
  const { text: name } = statement.next();
  const draft: Draft = { name, columns: [], uniqueKeys: [], checks: [], foreignKeys: [], primaryKey: [] };
  const body = new TokenReader(statement.parenthesized());
  do readMember(body, draft); while (body.skip(","));
  const withRowid = !statement.skip("WITHOUT", "ROWID");
  return { ...draft, columns: draft.columns.map((column) => withIdentity(column, draft, withRowid)) };
}

/** SQLite counts up a key that is one column declared as `INTEGER`. */
function withIdentity(column: ColumnFixture, { primaryKey }: Draft, withRowid: boolean): ColumnFixture {
  const isAlone = primaryKey.length === 1 && primaryKey[0] === column.name;
  return { ...column, isIdentity: withRowid && isAlone && column.type === "INTEGER" };
}

function readMember(body: TokenReader, draft: Draft): void {
  if (body.skip("PRIMARY", "KEY")) draft.primaryKey = body.names();
  else if (body.skip("UNIQUE")) draft.uniqueKeys.push(body.names());
  else if (body.skip("CHECK")) draft.checks.push(body.parenthesized());
  else if (body.skip("FOREIGN", "KEY")) {
    const columns = body.names();
    body.expect("REFERENCES");
    draft.foreignKeys.push(readReference(body, columns));
  } else readColumn(body, draft);
}

function readColumn(body: TokenReader, draft: Draft): void {
  const { text: name } = body.next();
  const type = readType(body);
  let column: ColumnFixture = { name, type, isNullable: true, isIdentity: false };
  while (body.isNext(...CONSTRAINTS)) column = readConstraint(body, column, draft);
  draft.columns.push(column);
}

function readType(body: TokenReader): string {
  const words: string[] = [];
  while (!body.isAtEnd && !body.isNext(",", "(", ...CONSTRAINTS)) words.push(body.next().text);
  const bounds = body.isNext("(") ? `(${body.names().join(",")})` : "";
  return words.join(" ") + bounds;
}

function readConstraint(body: TokenReader, column: ColumnFixture, draft: Draft): ColumnFixture {
  if (body.skip("NOT", "NULL")) return { ...column, isNullable: false };
  if (body.skip("DEFAULT")) return { ...column, default: readDefault(body) };
  if (body.skip("GENERATED", "ALWAYS", "AS")) return { ...column, generated: readGenerated(body) };
  if (body.skip("PRIMARY", "KEY")) {
    draft.primaryKey = [column.name];
    body.skip("AUTOINCREMENT");
    return { ...column, isNullable: false };
  }
  if (body.skip("UNIQUE")) draft.uniqueKeys.push([column.name]);
  else if (body.skip("CHECK")) draft.checks.push(body.parenthesized());
  else {
    body.expect("REFERENCES");
    draft.foreignKeys.push(readReference(body, [column.name]));
  }
  return column;
}

function readDefault(body: TokenReader): readonly Token[] {
  return body.isNext("(") ? body.parenthesized() : [body.next()];
}

function readGenerated(body: TokenReader): readonly Token[] {
  const expression = body.parenthesized();
  body.expect("STORED");
  return expression;
}

function readReference(body: TokenReader, columns: readonly string[]): ForeignKeyFixture {
  const { text: table } = body.next();
  const references = body.names();
  const isCascading = body.skip("ON", "DELETE", "CASCADE");
  const isDeferred = body.skip("DEFERRABLE", "INITIALLY", "DEFERRED");
  return { columns, table, references, isCascading, isDeferred };
}
