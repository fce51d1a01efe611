/**
 * Catalogs for tests: tables in a few words, and the demo database's own.
 *
 * @module
 */

import { join } from "node:path";
import { readDemo } from "@/config/sample.ts";
import type { Catalog, Column, TableDescription } from "@/core/catalog.ts";
import type { DatabaseDefinition, ForeignKey, ValueType } from "@/core/model.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import { createGrammar } from "@/core/request/path_grammar.ts";
import { buildSchema } from "@/core/schema/build_schema.ts";
import { resolveNames } from "@/core/schema/definition_names.ts";
import type { Schema } from "@/core/schema/table.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { hostOf, plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";
import type { Dialect } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const SUBSTITUTIONS = [{ sequence: "_dot", character: "." }, { sequence: "__", character: "/" }];

/** The escapes of the sample configuration: `_dot` for `.`, `__` for `/`. */
export const LINKS: LinkStyle = {
  substitutions: SUBSTITUTIONS,
  grammar: createGrammar({ substitutions: SUBSTITUTIONS }),
};

/** The keys of a table. */
export interface TableOptions {
  readonly key?: readonly string[];
  readonly unique?: readonly (readonly string[])[];
  /** `[columns, table, references]`, names separated by commas. */
  readonly references?: readonly (readonly [string, string, string])[];
}

/** A table of columns as `Name` (text) or `Name:type`; `!` at the end: never NULL. */
export function table(name: string, columns: string, options: TableOptions = {}): TableDescription {
  return {
    name,
    kind: "table",
    columns: columns.split(" ").map(column),
    primaryKey: options.key ?? [],
    uniqueKeys: options.unique ?? [],
    foreignKeys: (options.references ?? []).map(foreignKey),
  };
}

function column(text: string): Column {
  const [name = "", type = "text"] = text.replace(/!$/, "").split(":");
  return {
    name,
    type: type as ValueType,
    declaredType: type.toUpperCase(),
    nullable: !text.endsWith("!"),
    hasDefault: false,
    generated: false,
  };
}

function foreignKey([columns, target, references]: readonly [string, string, string]): ForeignKey {
  return { columns: columns.split(","), table: target, references: references.split(",") };
}

/** These tables as the planner walks them. */
export function schemaOf(
  tables: readonly TableDescription[],
  changes: Partial<DatabaseDefinition> = {},
  automap = true,
): Schema {
  const names = resolveNames(tables, plainDefinition(changes));
  return buildSchema(tables, { names, links: LINKS, automap });
}

/** The catalog of the demo database, read by the dialect. */
export async function demoCatalog(): Promise<Catalog> {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-demo-" });
  try {
    createDatabase(join(directory, "demo.db"), readDemo());
    const dialect: Dialect = await sqlite.setup({ directories: undefined }, hostOf([], { directory }));
    await using database = await dialect.connect(plainDefinition({ dbName: "demo.db" }), {
      dbuser: "",
      dbpass: "",
    }, { signal: NEVER });
    return await database.catalog();
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
