/**
 * Columns of one table. Pure.
 *
 * @module
 */

import type { Column } from "@/plugins/contract.ts";
import type { ListedCheck, ListedColumn } from "./catalog_queries.ts";
import { boundsOf, valueTypeOf, zoneOf } from "./column_types.ts";
import type { Server } from "./server.ts";
import { IRREGULAR, isLoose } from "./special.ts";

/** What of a table its columns are described with. */
export interface DescribeOptions {
  /** The table's name, for what has to be left out. */
  readonly name: string;
  readonly server: Server;
  readonly checks: readonly ListedCheck[];
  readonly primaryKey: readonly string[];
  /** Sentences about columns that cannot be handled are added here. */
  readonly omitted: string[];
}

/** Columns in their order; invisible ones are columns like others, because every statement names what it wants. */
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

/** MariaDB lists an expression: NULL is none, and the word is `'NULL'`. MySQL lists the value itself. */
function hasDefault({ standard, extra }: ListedColumn, { server: { flavour } }: DescribeOptions): boolean {
  if (/\bDEFAULT_GENERATED\b/i.test(extra)) return true;
  return standard !== null && (flavour === "mysql" || standard.toUpperCase() !== "NULL");
}

/** MySQL never tells a key that an expression made: whoever creates a record has to give it. */
function isToldBack({ name, extra }: ListedColumn, { server, primaryKey }: DescribeOptions): boolean {
  const isExpression = /\bDEFAULT_GENERATED\b/i.test(extra);
  return server.flavour === "mariadb" || !isExpression || !primaryKey.includes(name);
}
