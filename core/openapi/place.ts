/**
 * What the parts of an OpenAPI document know of a table and its database.
 *
 * @module
 */

import type { Json, Operation } from "@/core/model.ts";
import type { RecordSchemas } from "./schemas.ts";
import type { Table } from "@/core/schema/schema.ts";
import type { Service } from "@/core/service.ts";

/** A table that the caller may do something with. */
export interface DescribedTable {
  readonly table: Table;
  /** The name of its components, and the beginning of its operations' names: `Demo.Port`. */
  readonly name: string;
  readonly schemas: RecordSchemas;
}

/** What the tables of one database have in common. */
export interface TablePlace {
  readonly service: Pick<Service, "formats" | "links" | "countHeader">;
  /** The path of the database below the server's URL: `/db/Demo`. */
  readonly path: string;
  readonly tag: string;
  /** Lists without `limit` lead to one with it. */
  readonly hasLimit: boolean;
  readonly described: ReadonlyMap<string, DescribedTable>;
  may(table: string, operation: Operation): boolean;
  /** What an operation needs where it is not what the whole document says; without a table: to see the database. */
  security(table?: string, operation?: Operation): { readonly security?: Json };
}
