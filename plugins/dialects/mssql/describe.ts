/**
 * Describes a saved query's statement: the server analyses it without running it.
 *
 * @module
 */

import type { ResultColumn, StatementDescription, WrittenStatement } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, isMistake, placeOfWord } from "@/plugins/kit/database_failure.ts";
import { parseType } from "@/plugins/kit/type_detail.ts";
import { sentName } from "./bound.ts";
import { valueTypeOf } from "./column_types.ts";
import { classify, NOT_MAPPED, requestErrors } from "./failures.ts";
import { declareArguments, declaredTypeOf } from "./parameter.ts";
import { queryOn } from "./query.ts";
import type { DriverColumn } from "./running.ts";
import type { Session } from "./session.ts";
import { effectOf, splitAtParameters, terminated } from "./statement.ts";

const DESCRIBE = `exec sys.sp_describe_first_result_set @tsql = @${sentName(1)}, @params = @${sentName(2)},
  @browse_information_mode = 0`;

/** Positions of the name and the type in the procedure's result. */
const NAME = 2;
const TYPE = 5;

/**
 * Without `isReadOnly` the effect is unknown. Rejects as `invalid` if the
 * server refuses the statement itself.
 */
export async function describeStatement(
  session: Session,
  statement: WrittenStatement,
  limits: Limits,
): Promise<StatementDescription> {
  const { sql, parameters } = statement;
  const effect = effectOf(sql);
  const isReadOnly = effect === "unknown" ? {} : { isReadOnly: effect === "reads" };
  try {
    const rows = await queryOn(session, limits)(DESCRIBE, terminated(sql), declareArguments(parameters));
    const columns = rows.map((row) => resultColumn(String(row[NAME] ?? ""), String(row[TYPE] ?? "")));
    if (columns.length > 0) return { columns, ...isReadOnly };
  } catch (error) {
    if (isUndetermined(error)) return isReadOnly;
    if (!isOfBabelfish(error)) refuse(error, sql);
  }
  // A read-only statement has a result: Babelfish cannot analyse WITH, procedures and OUTPUT.
  if (effect !== "reads") return isReadOnly;
  const columns = await columnsByRunning(session, withoutParameters(statement), limits)
    .catch((error: unknown) => refuse(error, sql));
  return { columns, ...isReadOnly };
}

/** Babelfish describes few statements: none with parameters, repeated names, or WITH. */
function isOfBabelfish(error: unknown): boolean {
  return requestErrors(error).some(({ number }) => number === NOT_MAPPED);
}

/** The text with NULLs of the parameters' types in place of the parameters. */
function withoutParameters({ sql, parameters }: WrittenStatement): string {
  return splitAtParameters(sql).map((piece) => {
    return typeof piece === "string" ? piece : `cast(null as ${declaredTypeOf(parameters[piece - 1])})`;
  }).join("");
}

/** A column by the server's declaration of its type: `decimal(10,2)`. */
function resultColumn(name: string, declaredType: string): ResultColumn {
  return { name, type: valueTypeOf(parseType(declaredType).base) ?? "any", declaredType };
}

/** Temporary tables, dynamic SQL, results that depend on data: 11509 to 11539. */
function isUndetermined(error: unknown): boolean {
  return mistakesIn(error).some(({ number = 0 }) => number >= 11_509 && number <= 11_539);
}

/** Compile errors, and no way without an error: the server tells these beside the mistakes themselves. */
const SUMMARIES: ReadonlySet<number> = new Set([11_501, 11_529]);

function mistakesIn(error: unknown): ReturnType<typeof requestErrors> {
  return requestErrors(error).filter(({ number = 0 }) => !SUMMARIES.has(number));
}

function refuse(error: unknown, sql: string): never {
  const [first] = mistakesIn(error);
  if (!first || !isMistake(classify(error))) throw error;
  const line = first.lineNumber === undefined ? "" : ` (line ${first.lineNumber})`;
  const place = placeOfWord(/'([^']+)'/.exec(first.message)?.[1], sql);
  throw new DatabaseFailure("invalid", `${first.message}${line}`, { cause: error, place });
}

/** Types have the catalog's names, not the protocol's. */
export function resultColumnOf({ colName, type, precision, scale }: DriverColumn): ResultColumn {
  // The driver's names of types that may be NULL end in N.
  const name = type.name.toLowerCase().replace(/^(int|bit|decimal|numeric|float|money|datetime)n$/, "$1");
  const size = name === "decimal" || name === "numeric" ? `(${precision ?? 38},${scale ?? 0})` : "";
  return resultColumn(colName, `${name}${size}`);
}

/** Begins to run a read-only statement, and cancels it when its columns are known. */
async function columnsByRunning(
  session: Session,
  sql: string,
  limits: Limits,
): Promise<readonly ResultColumn[]> {
  const enough = new Error("The columns are known");
  const command = { sql, parameters: [], isSavedQuery: true };
  const running = session.start(command, limits, () => running.cancel(enough));
  await running.finished.catch((error: unknown) => {
    if (error !== enough) throw error;
  });
  return running.columns.map(resultColumnOf);
}
