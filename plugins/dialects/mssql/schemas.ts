/**
 * The schemas of a database that the service serves.
 *
 * @module
 */

import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { sentName } from "./parameter_names.ts";
import type { Query } from "./query.ts";

/** The schemas whose objects are read; those of the login's own schema have plain names. */
export interface Schemas {
  readonly default: string;
  readonly names: readonly string[];
}

/** The served objects, with the columns that tables and views share. */
export const TABLES_AND_VIEWS =
  `(select object_id, schema_id, name, 'table' as kind from sys.tables where is_ms_shipped = 0
    union all select object_id, schema_id, name, 'view' from sys.views where is_ms_shipped = 0)`;

/** A condition on a schema's name, with the names as parameters of the statement. */
export function within(schemas: Schemas): string {
  return `s.name in (${schemas.names.map((_, at) => `@${sentName(at + 1)}`).join(", ")})`;
}

/** The schemas of the definition; by default the login's own. */
export async function readSchemas(query: Query, { dbSchema }: DatabaseDefinition): Promise<Schemas> {
  const [row] = await query("select schema_name()");
  const own = String(row?.[0] ?? "dbo");
  return { default: own, names: dbSchema.length > 0 ? dbSchema : [own] };
}
