/**
 * Columns of one table. Pure.
 *
 * @module
 */

import type { Column } from "@/plugins/contract.ts";
import type { ListedColumn, Listing } from "./catalog_queries.ts";
import { boundsOf, valueTypeOf, zoneOf } from "./column_types.ts";
import type { Server } from "./server.ts";
import { IRREGULAR, isLoose } from "./special.ts";

/** The facts about a table that describe its columns. */
export interface DescribeOptions {
  /** The table's name, for messages. */
  readonly name: string;
  readonly server: Server;
  readonly checks: Listing["checks"];
  readonly primaryKey: readonly string[];
  /** Collects sentences about unsupported columns. */
  readonly omitted: string[];
}

/** Columns in their order, including invisible ones, because every statement names its columns. */
export function describeColumns(
  listed: readonly ListedColumn[],
  options: DescribeOptions,
): readonly Column[] {
  const documents = new Set(options.checks.flatMap(({ clause }) => documentOf(clause) ?? []));
  return listed.flatMap((column) => {
    const type = documents.has(column.name) ? "json" : valueTypeOf(column.dataType, column.columnType);
    if (type) return [describe(column, type, options)];
    options.omitted.push(
      `column "${column.name}" of "${options.name}": values of type ${column.dataType} cannot be written back`,
    );
    return [];
  });
}

function describe(column: ListedColumn, type: Column["type"], options: DescribeOptions): Column {
  const { name, columnType, nullable, length, comment } = column;
  const generated = isGenerated(column);
  const identity = /\bauto_increment\b/i.test(column.extra);
  const isCounted = /^(var)?char$/i.test(column.dataType) && length !== null && type === "text";
  return {
    name,
    type,
    declaredType: columnType,
    nullable: nullable === "YES",
    ...(isCounted ? { maxLength: Number(length) } : {}),
    hasDefault: identity || generated || (hasDefault(column, options) && isToldBack(column, options)),
    generated,
    ...zoneOf(columnType),
    ...(IRREGULAR[type] === undefined ? {} : { irregular: IRREGULAR[type] }),
    ...(isLoose({ type, declaredType: columnType }) ? { loose: true } : {}),
    ...boundsOf(columnType),
    ...(identity ? { identity } : {}),
    ...(comment ? { comment } : {}),
  };
}

/** MariaDB declares JSON as text with this check. */
function documentOf(clause: string): string | undefined {
  return /^json_valid\(`((?:[^`]|``)+)`\)$/i.exec(clause)?.[1]?.replaceAll("``", "`");
}

function isGenerated({ extra }: ListedColumn): boolean {
  return /\b(VIRTUAL|STORED|PERSISTENT) GENERATED\b/i.test(extra);
}

/** MariaDB lists an expression: NULL means no default, and `'NULL'` is the word. MySQL lists the value itself. */
function hasDefault({ standard, extra }: ListedColumn, { server: { flavour } }: DescribeOptions): boolean {
  if (/\bDEFAULT_GENERATED\b/i.test(extra)) return true;
  return standard !== null && (flavour === "mysql" || standard.toUpperCase() !== "NULL");
}

/** MySQL does not return a key from an expression: a request has to contain it. */
function isToldBack({ name, extra }: ListedColumn, { server, primaryKey }: DescribeOptions): boolean {
  const isExpression = /\bDEFAULT_GENERATED\b/i.test(extra);
  return server.flavour === "mariadb" || !isExpression || !primaryKey.includes(name);
}
