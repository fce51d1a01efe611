/**
 * Explains a database's failure to the caller. The engine's messages stay in the log,
 * except those about integrity rules.
 *
 * @module
 */

import { attempt, type Eventual } from "@/core/base/eventual.ts";
import { blame } from "@/core/base/plugin_failures.ts";
import {
  badRequest,
  type ErrorCode,
  forbidden,
  messageIn,
  nodeOf,
  quote,
  ServiceError,
} from "@/core/errors.ts";
import type { QueryDefinition, Row } from "@/core/model.ts";
import { allTables, type Schema } from "@/core/schema/table.ts";
import type { Database, Failure, Log } from "@/plugins/contract.ts";
import type { Connection } from "./connect.ts";
import { DAMAGED } from "./faults.ts";
import type { ManagedDatabase } from "./managed_database.ts";

/** Seconds after which a caller may try again. */
const RETRY_AFTER = "2";

type Explain = (cause: unknown) => ServiceError;

const EXPLANATIONS: { readonly [Kind in Exclude<Failure, "integrity" | "invalid">]: Explain } = {
  "read-only": refuse("forbidden", "The database is read-only: its operator has to allow changes"),
  // The cause tells pages that they may be read without related records.
  permission: (cause) => {
    return forbidden("The database login lacks the rights for this, or the view cannot be changed", {
      cause,
    });
  },
  login: () => forbidden("The database refuses this user's database login"),
  timeout: refuse("timeout", "The database took too long: narrow the request with filters or a limit"),
  unavailable: refuse("unavailable", "The database is busy or cannot be reached: try again later"),
  storage: refuse("unavailable", "The database's storage fails: its operator has to mend it", false),
  corrupt: refuse("unavailable", DAMAGED, false),
  contention: refuse("unavailable", "The data is being changed by others: try again"),
  changed: refuse("unavailable", "The database's tables have changed and are being read again: try again"),
  "too-complex": refuse(
    "bad-request",
    "The request is too large or too complex for the database: use fewer or shorter values or filters",
  ),
};

/** Reading the tables again has not helped: a trigger names a table that is gone. */
const INCOMPLETE = refuse(
  "unavailable",
  "The database lacks something that its own triggers, views or foreign keys name: its operator has to mend it",
  false,
);

/** Of a saved query: nothing can be filtered or, as a rule, limited. */
const SLOW = refuse("timeout", "The database took too long");
const SLOW_INSERT = refuse("timeout", "The database took too long: send fewer records at once");

/** `isBrief`: waiting may help. */
function refuse(code: ErrorCode, message: string, isBrief = true): Explain {
  const headers = code === "unavailable" && isBrief ? { "Retry-After": RETRY_AFTER } : {};
  return (cause) => new ServiceError(code, message, { cause, headers });
}

/** A database as one caller reaches it. */
export interface ReachedDatabase {
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  /** The database under the caller's database login. */
  readonly database: Database;
}

/** The failed plan, and the names that its caller may see. */
export interface FailedPlan extends ReachedDatabase {
  readonly kind: "read" | "insert" | "update" | "delete";
  /** The tables that errors may name; absent: all. */
  readonly visible?: Schema;
  /** What errors may quote: the values that the caller has sent, in the form of the driver, and names. */
  readonly values?: readonly unknown[];
  /** The position of the record in the body, if the statement was about one of several. */
  readonly record?: number | undefined;
  /**
   * Set for saved queries: their statement may itself be wrong, and may name
   * tables that the caller cannot see.
   */
  readonly written?: WrittenQuery;
}

/** A saved query whose statement has failed. */
interface WrittenQuery {
  readonly definition: Pick<QueryDefinition, "id" | "methods" | "readOnly">;
  /** It runs in a session that cannot write; otherwise the database itself is read-only. */
  readonly readOnly: boolean;
  readonly log: Log;
}

/**
 * Runs the work of a plan, and once more after contention, unless it creates
 * records. Throws explained failures.
 */
export function repeatOnce<T>(work: () => Eventual<T>, plan: FailedPlan): Eventual<T> {
  const fail = (error: unknown): never => {
    throw explainFailure(error, plan);
  };
  return attempt(work, (error) => {
    const isRepeated = plan.kind !== "insert" && !(error instanceof ServiceError) &&
      plan.database.classify(error) === "contention";
    return isRepeated ? attempt(work, fail) : fail(error);
  });
}

/**
 * A database's error as the caller sees it; an error that the dialect does not
 * know is passed on and becomes 500.
 */
export function explainFailure(error: unknown, failed: FailedPlan): unknown {
  const { database, managed, written } = failed;
  if (error instanceof ServiceError) {
    if (written && error.code === "unavailable") tellAuthor(written, error.cause);
    return error;
  }
  const failure = database.classify(error) ?? (written && isOfEngine(error) ? "invalid" : undefined);
  if (failure === undefined) {
    const { id, dbType } = managed.definition;
    return blame(error, `dialect ${quote(dbType)} failed with database ${quote(id)}`);
  }
  if (written && (failure === "changed" || failure === "invalid")) tellAuthor(written, error);
  if (written && failure === "changed") return unusableQuery(written.definition.id, error);
  if (written?.readOnly && failure === "read-only") return changesSomething(written.definition, error);
  if (failure === "changed" && !managed.readAgainFor(error)) {
    managed.faults.note("unavailable", error);
    return INCOMPLETE(error);
  }
  const isFault = failure === "unavailable" || failure === "storage" || failure === "corrupt";
  // The end of the service, or an operator, cuts requests off: that is no fault of the database.
  if (isFault && managed.state !== "disconnected") {
    managed.faults.note(failure, error);
    managed.lookSoon();
  }
  if (failure === "integrity" || failure === "invalid") return explainData(error, failure, failed);
  // A server that has fallen silent meanwhile: a narrower request would not end either.
  if (failure === "timeout" && managed.status === "Disconnected") return EXPLANATIONS.unavailable(error);
  if (failure === "timeout" && written) return SLOW(error);
  if (failure === "timeout" && failed.kind === "insert") return SLOW_INSERT(error);
  return EXPLANATIONS[failure](error);
}

/** Engines give their errors a code, and so do aborted signals; bugs of the service have none. */
function isOfEngine(error: unknown): boolean {
  return error instanceof Error && "code" in error &&
    !(error instanceof TypeError || error instanceof DOMException);
}

/**
 * The author of a query finds in the log why it cannot be used, without the values that the engine quotes.
 */
function tellAuthor({ definition, log }: WrittenQuery, error: unknown): void {
  log.info(`Query ${quote(definition.id)}: ${withoutValues(messageIn(error)).slice(0, 300)}`);
}

/** A quoted text, which may be cut off; the apostrophe in `can't` is no quote. */
const QUOTED = /(?<!\p{L})(["'`])((?:(?!\1).)*)\1?/gsu;

/**
 * A message without what it quotes, except what the caller has sent, and parts of the text `refused`: a
 * query, a view or a trigger may use values that its caller may not see.
 */
function withoutValues(message: string, sent: readonly unknown[] = [], refused = ""): string {
  const known = new Set(sent.map(String));
  return message.replace(QUOTED, (whole: string, mark: string, quoted: string) => {
    return known.has(quoted) || refused.includes(quoted) ? whole : `${mark}...${mark}`;
  });
}

/** The caller of a query cannot correct it. */
export function unusableQuery(id: string, cause: unknown): ServiceError {
  const message =
    `Query ${quote(id)} cannot be run: its database does not take its SQL; its author can try it on the ` +
    "page that changes it, or at /settings/check-query";
  return new ServiceError("unavailable", message, { cause });
}

/** Throws 503 for a row of a query that has other columns than it had when it was prepared, as `SELECT *`. */
export function requireColumns(row: Row | undefined, count: number): void {
  if (row === undefined || row.length === count) return;
  throw EXPLANATIONS.changed(new Error(`A row has ${row.length} columns, not ${count}`));
}

/** A query that should only read tried to write. */
export function changesSomething(definition: WrittenQuery["definition"], cause?: unknown): ServiceError {
  const message = `Cannot run query ${quote(definition.id)} like this: it changes the database, and ` +
    remedyOf(definition);
  return badRequest(message, { cause });
}

function remedyOf({ methods, readOnly }: WrittenQuery["definition"]): string {
  if (readOnly === true) return 'its definition says "read_only: true" instead of "read_only: false"';
  const others = methods.filter((method) => method !== "GET");
  const remedy = others.length > 0
    ? `use ${others.join(" or ")}`
    : 'choose the method POST at /querydef ("http_methods"), or add "read_only: false"';
  return `its definition does not allow that with GET: ${remedy}`;
}

function explainData(cause: unknown, failure: "integrity" | "invalid", failed: FailedPlan): ServiceError {
  const { database, kind, written, values = [], record } = failed;
  const said = database.explain(cause);
  // A read violates no integrity rule: a value does not fit its use.
  if (failure === "invalid" || kind === "read") {
    const told = aboutValues(said, failed, values);
    if (written && (told !== said || database.classify(cause) === undefined)) {
      const which = record === undefined ? "these values" : `the values at node '/${record}'`;
      return badRequest(`The database cannot run this query with ${which}`, { cause });
    }
    return badRequest(`The database cannot take this: ${nodeOf(record)}${told}`, { cause });
  }
  const words = isNaming(said, failed) ? UNNAMED : said;
  const message = nodeOf(record) + words;
  if (kind === "update") {
    return new ServiceError("update-conflict", `Commit failed during update: ${message}`, { cause });
  }
  const complaints = record === undefined ? [] : [{ record, sentence: words }];
  return new ServiceError("conflict", `The database refuses this: ${message}`, { cause, complaints });
}

/** The database's message about one value of a column that the caller has sent. */
export function refusalOf(error: unknown, failed: FailedPlan, value: unknown, column: string): string {
  return aboutValues(failed.database.explain(error), failed, [column], String(value));
}

/**
 * The words without what they quote, see {@link withoutValues}. Hidden names count where they are not quoted:
 * a value with one would else tell by its answer that the name is there.
 */
function aboutValues(said: string, failed: FailedPlan, sent: readonly unknown[], refused = ""): string {
  const quoted = [...sent, refused].flatMap((value) => [`"${value}"`, `'${value}'`]);
  const rest = quoted.reduce((text, each) => text.replaceAll(each, ""), said);
  return isNaming(withoutValues(rest), failed) ? UNNAMED : withoutValues(said, sent, refused);
}

/** Instead of words with a name that the caller may not see. */
const UNNAMED = "a rule of the database does not allow it";

/** A longer name that the caller may see names nothing: `PassportNo` is not the table `Port`. */
function isNaming(words: string, failed: FailedPlan): boolean {
  const said = words.toLowerCase();
  const found = hiddenNames(failed).map((name) => name.toLowerCase()).filter((name) => said.includes(name));
  if (found.length === 0) return false;
  const seen = shownNames(failed).map((name) => name.toLowerCase());
  return found.some((name) => {
    const longer = seen.filter((each) => each !== name && each.includes(name));
    return longer.reduce((text, each) => text.replaceAll(each, " "), said).includes(name);
  });
}

function shownNames({ connection: { schema }, visible = schema }: FailedPlan): readonly string[] {
  return allTables(visible).flatMap(({ name, columnNames }) => [name, ...columnNames.names]);
}

/**
 * Tables that the caller may not see, by every part of their names, and the excluded columns. Names of
 * constraints contain them: `secret_log_ssn_key`.
 */
function hiddenNames({ connection, visible, managed: { definition } }: FailedPlan): readonly string[] {
  const { excluded, schema: { tables } } = connection;
  const hidden = tables.names.filter((name) =>
    visible !== undefined && visible.tables.exact(name) === undefined
  );
  const parts = hidden.flatMap((name) => [name, tables.exact(name)?.identifier.at(-1) ?? name]);
  return [...parts, ...excluded, ...[...definition.excludedColumns.values()].flat()];
}
