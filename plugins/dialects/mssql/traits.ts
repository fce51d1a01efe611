/**
 * How SQL Server's SQL differs.
 *
 * @module
 */

import {
  type FromNode,
  MssqlAdapter,
  MssqlQueryCompiler,
  type SelectModifierNode,
  type SelectQueryNode,
  sql,
} from "kysely";
import type { SqlTraits } from "@/plugins/contract.ts";
import { comparable, cut, dayText, selectable, summed, textual } from "./expressions.ts";
import { insert } from "./insert.ts";
import { special } from "./moments.ts";
import { argument, parameter } from "./parameter.ts";
import { stored } from "./stored.ts";

/**
 * Other servers, the operating system, dynamic SQL, and names of three or more parts: other databases.
 * A column needs no such name, because its table can have an alias; `row.document.value(…)` and the
 * like are methods of XML columns. `USE` after a bracket or a comma is a hint.
 */
const BEYOND = new RegExp(
  [
    /\b(?:OPENROWSET|OPENQUERY|OPENDATASOURCE|XP_\w+|SP_OA\w+)\b/u,
    /(?<!\[|@ )\b(?:BULK INSERT|BACKUP|RESTORE)\b/u,
    /\bSP_(?:EXECUTESQL|SQLEXEC|PREPARE|PREPEXEC\w*|CURSOR(?:OPEN|PREPARE|PREPEXEC)|MSFOREACH\w+)\b/u,
    /\bSP_(?:EXECUTE_EXTERNAL_SCRIPT|INVOKE_EXTERNAL_REST_ENDPOINT)\b/u,
    /(?<!\[|[(,] )\bUSE\b/u,
    /\bEXEC(?:UTE)? (?:@ \S+ = )?(?:\(|@ [\p{L}\p{N}_$#]+ (?!=))/u,
    /(?<!\S)\S+ \. (?:\S+ )?\. (?!(?:value|query|exist|nodes|modify) \()\S*/u,
  ].map(({ source }) => source).join("|"),
  "iu",
);

/** SQL Server's traits for the core. */
export const traits: SqlTraits = {
  createAdapter: () => new MssqlAdapter(),
  createQueryCompiler: () => new Compiler(),
  // 2,100 in a call, of which the statement and the list of its parameters are two.
  maxParameters: 2098,
  lexis: {
    names: [{ open: '"', close: '"', doubled: true }, { open: "[", close: "]", doubled: true }],
    strings: ["'"],
    nestedComments: true,
    placeholders: /@\d+/u,
    statements: ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "EXEC", "EXECUTE", "DECLARE"],
    readable: ["EXEC", "EXECUTE"],
    beyond: BEYOND,
  },
  parameterName: (number) => `@${number}`,
  nestedWith: false,
  argument,
  paging: "fetch",
  comparable,
  ordered: comparable,
  parameter,
  secondDecimals: 7,
  stored,
  selectable,
  textual,
  cut,
  dayText,
  summed,
  insert,
  // An identity accepts no keyword, not even this one.
  defaulted: ({ identity }) => identity ? undefined : sql`default`,
  special,
  forUpdate: true,
  fixesIdentity: true,
};

/** The times of Babelfish have PostgreSQL's precision. */
export const babelfishTraits: SqlTraits = { ...traits, secondDecimals: 6 };

/** Kysely's compiler with `FOR UPDATE` as T-SQL's hint after the table. */
class Compiler extends MssqlQueryCompiler {
  readonly #locking: boolean[] = [];

  protected override visitSelectQuery(node: SelectQueryNode): void {
    const others = node.endModifiers?.filter((modifier) => !isForUpdate(modifier)) ?? [];
    this.#locking.push(others.length < (node.endModifiers?.length ?? 0));
    super.visitSelectQuery(others.length > 0 ? { ...node, endModifiers: others } : withoutModifiers(node));
    this.#locking.pop();
  }

  protected override visitFrom(node: FromNode): void {
    super.visitFrom(node);
    if (this.#locking.at(-1)) this.append(" with (updlock)");
  }
}

function isForUpdate({ modifier }: SelectModifierNode): boolean {
  return modifier === "ForUpdate";
}

function withoutModifiers(node: SelectQueryNode): SelectQueryNode {
  const { endModifiers: _, ...rest } = node;
  return rest;
}
