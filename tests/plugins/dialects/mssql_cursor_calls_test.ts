/**
 * What SQL Server is asked for when a statement is read from a cursor, and how its rows are told from what it adds to them.
 * No server is needed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { TYPES } from "tedious";
import { Bound, guess } from "@/plugins/dialects/mssql/bound.ts";
import {
  type Call,
  closeCall,
  fetchCall,
  MAX_CURSOR_PARAMETERS,
  openCall,
  withParameter,
} from "@/plugins/dialects/mssql/cursor_calls.ts";
import { type ResultFacts, statusPosition } from "@/plugins/dialects/mssql/row_status.ts";
import { MssqlStatement } from "@/plugins/dialects/mssql/statement.ts";
import { parameter } from "@/plugins/dialects/mssql/parameter.ts";
import { traits } from "@/plugins/dialects/mssql/traits.ts";
import type { Column, ValueType } from "@/plugins/contract.ts";

const FOLDER = new URL("./mssql_calls/", import.meta.url);

function bound(type: ValueType, declaredType: string, value: string | number | boolean): Bound {
  const column: Column = {
    name: "x",
    type,
    declaredType,
    nullable: true,
    hasDefault: false,
    generated: false,
  };
  return parameter(value, column);
}

function opened(sql: string, ...values: readonly unknown[]): Call {
  return openCall(new MssqlStatement({ sql, columns: [] }).command(values));
}

const CALLS: Readonly<Record<string, () => Call>> = {
  "open": () => opened('select "t"."Id" as "Id" from "dbo"."Customer" as "t"'),
  "open-parameters": () =>
    opened(
      'select "t"."@1" from "t" where "a" = @1 and "b" = @2 and "c" = @3 and "d" = @4 and "e" = @5 and "f" > @6',
      bound("integer", "int", 5),
      bound("decimal", "decimal(10,2)", "1.50"),
      bound("text", "varchar(20)", "Bern"),
      bound("text", "nvarchar(20)", "Zoë"),
      bound("boolean", "bit", true),
      bound("float", "float", 0.5),
    ),
  "open-large-values": () =>
    opened("select @1, @2, @3", guess("x".repeat(4001)), guess(new Uint8Array(3)), guess(null)),
  "open-on-babelfish": () => openCall(withParameter({ sql: "select n from t", parameters: [] })),
  "fetch": () => fetchCall(180150003, 50),
  "close": () => closeCall(180150003),
};

/** The procedure, and a line for each parameter. */
function written({ procedure, parameters }: Call): string {
  const lines = parameters.map(({ bound: { type, value, length }, isOutput }) => {
    const text = value instanceof Uint8Array ? `0x${value.toHex()}` : String(value);
    const shown = text.length > 400 ? `${text.slice(0, 9)}... (${text.length})` : text;
    return `-- ${type.name}${length === undefined ? "" : `(${length})`}${isOutput ? " output" : ""} ${shown}`;
  });
  return `${[procedure, ...lines].join("\n")}\n`;
}

for (const [name, call] of Object.entries(CALLS)) {
  Deno.test(`SQL Server is called as the golden file says: ${name}`, async () => {
    assert.equal(written(call()), await Deno.readTextFile(new URL(`${name}.txt`, FOLDER)));
  });
}

Deno.test("every golden file of calls has its call", async () => {
  const files = await Array.fromAsync(Deno.readDir(FOLDER), ({ name }) => name.replace(".txt", ""));
  assert.deepEqual(files.sort(), Object.keys(CALLS).sort());
});

Deno.test("a call that opens a cursor has no more parameters than the server takes", () => {
  const sql = "select @1";
  const parameters = Array.from({ length: MAX_CURSOR_PARAMETERS }, () => new Bound(TYPES.Int, 1));
  assert.equal(openCall({ sql, parameters }).parameters.length, traits.maxParameters + 2);
});

const STATUS: readonly (readonly [what: string, facts: ResultFacts, position: number | undefined])[] = [
  ["what the server has hidden", facts(["n", "ROWSTAT"], [false, true], 1), 1],
  [
    "what the server has hidden, of a statement of unknown width",
    facts(["n", "ROWSTAT"], [false, true], 0),
    1,
  ],
  ["one more than the statement's own", facts(["n", "rowstat"], [], 1), 1],
  ["the last of two", facts(["ROWSTAT", "ROWSTAT"], [false, true], 1), 1],
  ["not a column of the statement's own", facts(["n", "ROWSTAT"], [], 2), undefined],
  ["not a column that is shown", facts(["n", "ROWSTAT"], [false, false], 1), undefined],
  ["not a column that may be the statement's own", facts(["n", "ROWSTAT"], [], 0), undefined],
  ["not a column of another name", facts(["n", "m"], [false, true], 1), undefined],
  ["nothing of no columns", facts([], [], 0), undefined],
];

function facts(names: readonly string[], hidden: readonly boolean[], known: number): ResultFacts {
  return { columns: names.map((colName) => ({ colName })), hidden, known };
}

for (const [what, given, position] of STATUS) {
  Deno.test(`the status of a cursor's row is ${what}`, () => assert.equal(statusPosition(given), position));
}
