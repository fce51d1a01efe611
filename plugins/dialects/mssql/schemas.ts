/**
 * The schemas of a database that the service shows.
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

/** What the service shows, with the names of columns that both have. */
export const TABLES_AND_VIEWS =
  `(select object_id, schema_id, name, 'table' as kind from sys.tables where is_ms_shipped = 0
    union all select object_id, schema_id, name, 'view' from sys.views where is_ms_shipped = 0)`;

/** A condition on a schema's name, with its values as the parameters of the statement. */
export function within(schemas: Schemas): string {
  return `s.name in (${schemas.names.map((_, at) => `@${sentName(at + 1)}`).join(", ")})`;
}

/** Those of the definition; the login's own where it names none. */
export async function readSchemas(query: Query, { dbSchema }: DatabaseDefinition): Promise<Schemas> {
  const [row] = await query("select schema_name()");
  const own = String(row?.[0] ?? "dbo");
  return { default: own, names: dbSchema.length > 0 ? dbSchema : [own] };
}
