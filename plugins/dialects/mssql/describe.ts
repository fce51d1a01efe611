/**
 * Describes a saved query's statement: the server analyses it without running it.
 *
 * @module
 */

import type { ResultColumn, StatementDescription, WrittenStatement } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, isMistake } from "@/plugins/kit/database_failure.ts";
import { sentName } from "./bound.ts";
import { parseType, valueTypeOf } from "./column_types.ts";
import { effectOf, splitAtParameters } from "./statement.ts";
import { classify, NOT_MAPPED, requestErrors } from "./failures.ts";
import { declareArguments, declaredTypeOf } from "./parameter.ts";
import type { Query } from "./query.ts";
import type { DriverColumn } from "./running.ts";
import type { Session } from "./session.ts";

const DESCRIBE = `exec sys.sp_describe_first_result_set @tsql = @${sentName(1)}, @params = @${sentName(2)},
  @browse_information_mode = 0`;

/** Positions of the name and the type in the procedure's result. */
const NAME = 2;
const TYPE = 5;

/** Finds the columns of a read-only statement by beginning to run it. */
export type Begin = (sql: string) => Promise<readonly ResultColumn[]>;

/** Without `isReadOnly` the effect is unknown. Rejects as `invalid` if the server refuses the statement itself. */
export async function describeStatement(
  statement: WrittenStatement,
  { query, begin }: { readonly query: Query; readonly begin: Begin },
): Promise<StatementDescription> {
  const effect = effectOf(statement.sql);
  const isReadOnly = effect === "unknown" ? {} : { isReadOnly: effect === "reads" };
  try {
    const columns = await columnsOf(query, statement);
    if (columns.length > 0) return { columns, ...isReadOnly };
  } catch (error) {
    if (isUndetermined(error)) return isReadOnly;
    if (!isOfBabelfish(error)) throw refused(error);
  }
  // A read-only statement has a result: Babelfish cannot analyse WITH, procedures and OUTPUT.
  if (effect !== "reads") return isReadOnly;
  return { columns: await begin(withoutParameters(statement)).catch(refuse), ...isReadOnly };
}

async function columnsOf(
  query: Query,
  { sql, parameters }: WrittenStatement,
): Promise<readonly ResultColumn[]> {
  const rows = await query(DESCRIBE, sql, declareArguments(parameters));
  return rows.map((row) => resultColumn(String(row[NAME] ?? ""), String(row[TYPE] ?? "")));
}

/** Babelfish describes few statements: none with parameters, repeated names, or WITH. */
function isOfBabelfish(error: unknown): boolean {
  return requestErrors(error).some(({ number }) => number === NOT_MAPPED);
}

/** The same text with NULLs of the parameters' types. */
function withoutParameters({ sql, parameters }: WrittenStatement): string {
  return splitAtParameters(sql).map((piece) => {
    return typeof piece === "string" ? piece : `cast(null as ${declaredTypeOf(parameters[piece - 1])})`;
  }).join("");
}

/** By the server's declaration of the type: `decimal(10,2)`. */
export function resultColumn(name: string, declaredType: string): ResultColumn {
  return { name, type: valueTypeOf(parseType(declaredType).base) ?? "any", declaredType };
}

/** Temporary tables, dynamic SQL, results that depend on data: 11509 to 11539. */
function isUndetermined(error: unknown): boolean {
  return requestErrors(error).some(({ number = 0 }) => number >= 11_509 && number <= 11_539);
}

function refuse(error: unknown): never {
  throw refused(error);
}

function refused(error: unknown): unknown {
  const [first] = requestErrors(error);
  if (!first || !isMistake(classify(error))) return error;
  const line = first.lineNumber === undefined ? "" : ` (line ${first.lineNumber})`;
  return new DatabaseFailure("invalid", `${first.message}${line}`, { cause: error });
}

/** The driver's names of types that differ from declarations. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["intn", "int"],
  ["bitn", "bit"],
  ["decimaln", "decimal"],
  ["numericn", "numeric"],
  ["floatn", "float"],
  ["moneyn", "money"],
  ["datetimen", "datetime"],
]);

/** Types have the catalog's names, not the protocol's. */
export function resultColumnOf({ colName, type, precision, scale }: DriverColumn): ResultColumn {
  const known = type.name.toLowerCase();
  const name = NAMES.get(known) ?? known;
  const size = name === "decimal" || name === "numeric" ? `(${precision ?? 38},${scale ?? 0})` : "";
  return resultColumn(colName, `${name}${size}`);
}

/** Begins to run a read-only statement, and cancels it when its columns are known. */
export async function columnsByRunning(
  session: Session,
  sql: string,
  limits: Limits,
): Promise<readonly ResultColumn[]> {
  const enough = new Error("The columns are known");
  const running = session.start(
    { sql, parameters: [], isWritten: true },
    limits,
    () => running.cancel(enough),
  );
  await running.finished.catch((error: unknown) => {
    if (error !== enough) throw error;
  });
  return running.columns.map(resultColumnOf);
}
