/**
 * The procedures of API server cursors, as their documentation and Microsoft's own drivers have them. Their parameters are
 * told apart by their order only.
 *
 * @module
 */

import { Bound } from "./bound.ts";
import { TYPES } from "./driver.ts";
import { sentName } from "./parameter_names.ts";
import type { Command } from "./statement.ts";

/** A procedure that is called. */
export interface Call {
  readonly procedure: string;
  readonly parameters: readonly CallParameter[];
}

/** A value that a procedure is given, or a place for one that it gives back. */
export interface CallParameter {
  readonly bound: Bound;
  /** The procedure gives a value back. */
  readonly isOutput?: boolean;
}

/** Forward only and read only: the server makes rows as they are fetched where it can, and copies none without need. */
const FAST_FORWARD = 0x10;
const PARAMETERIZED = 0x1000;
/** Not allowed to run what has no cursor: that is refused instead, before any of it has run. */
const READ_ONLY = 1;
const NEXT = 2;

/** A call has room for 2,100 parameters, of which six are the procedure's own. */
export const MAX_CURSOR_PARAMETERS = 2094;

/**
 * What opens a cursor on Babelfish. It looks for names among the parameters of the last cursor that had some, in memory that
 * it may have given back since, and crashes: so a statement without parameters gets one that it does not use.
 */
export function withParameter(command: Command): Command {
  return command.parameters.length > 0 ? command : { ...command, parameters: [int(0)] };
}

/** Gives back the cursor, and the number of rows where it is known. */
export function openCall({ sql, parameters }: Command): Call {
  const scrolling = parameters.length > 0 ? FAST_FORWARD | PARAMETERIZED : FAST_FORWARD;
  const own = [{ bound: new Bound(TYPES.NVarChar, declare(parameters)) }, ...parameters.map(input)];
  return {
    procedure: "sp_cursoropen",
    parameters: [
      { bound: int(0), isOutput: true },
      { bound: new Bound(TYPES.NVarChar, sql) },
      { bound: int(scrolling) },
      { bound: int(READ_ONLY) },
      { bound: int(0), isOutput: true },
      ...(parameters.length > 0 ? own : []),
    ],
  };
}

/** Gives the next rows. */
export function fetchCall(cursor: number, rows: number): Call {
  return { procedure: "sp_cursorfetch", parameters: [cursor, NEXT, 0, rows].map((each) => input(int(each))) };
}

/** Gives up what the server holds for the cursor. */
export function closeCall(cursor: number): Call {
  return { procedure: "sp_cursorclose", parameters: [input(int(cursor))] };
}

/** `@rowhouse_1 int, @rowhouse_2 nvarchar(4000)`. */
function declare(parameters: readonly Bound[]): string {
  return parameters.map(({ type, value, length }, index) => {
    const name = sentName(index + 1);
    return `@${name} ${type.declaration({ type, name, value, length, output: false })}`;
  }).join(", ");
}

function input(bound: Bound): CallParameter {
  return { bound };
}

function int(value: number): Bound {
  return new Bound(TYPES.Int, value);
}
