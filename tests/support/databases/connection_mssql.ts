/**
 * A connection to SQL Server.
 *
 * @module
 */

import type { Connection as TediousConnection } from "tedious";
import { Request } from "tedious";
import { closeMssql, openMssql } from "@/tests/support/servers/mssql.ts";
import type { Address } from "@/tests/support/servers/mod.ts";
import type { Connection, Rows } from "./connection.ts";

interface ColumnFacts {
  readonly colName: string;
  readonly type: { readonly name: string };
}

interface Cell {
  readonly value: unknown;
  readonly metadata: ColumnFacts;
}

/** Scripts may have several batches, with `GO` between them. */
export async function connectMssql(address: Address, database: string): Promise<Connection> {
  const connection = await openMssql(address, database);
  return {
    query: async (...queries) => {
      const results = [];
      for (const query of queries) results.push(await ask(connection, query));
      return results;
    },
    run: async (script) => {
      for (const batch of script.split(/^GO\s*$/mi)) {
        if (batch.trim() !== "") await runBatch(connection, batch);
      }
    },
    [Symbol.asyncDispose]: () => closeMssql(connection),
  };
}

/** The driver rounds exact numbers, so they are selected as text. */
async function ask(connection: TediousConnection, query: string): Promise<Rows> {
  const { facts, ...rows } = await runBatch(connection, query);
  if (!facts.some(isExact)) return rows;
  const [, rest = query, order = ""] = /^(.*?)( ORDER BY .*)?$/si.exec(query) ?? [];
  const columns = facts.map((fact) => {
    return isExact(fact)
      ? `CONVERT(varchar(60), [${fact.colName}]) AS [${fact.colName}]`
      : `[${fact.colName}]`;
  });
  const { facts: _, ...exact } = await runBatch(
    connection,
    `SELECT ${columns.join(", ")} FROM (${rest}) AS q${order}`,
  );
  return exact;
}

function isExact({ type }: ColumnFacts): boolean {
  return /^(Numeric|Decimal)/.test(type.name);
}

function runBatch(
  connection: TediousConnection,
  batch: string,
): Promise<Rows & { readonly facts: readonly ColumnFacts[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<Rows & { facts: readonly ColumnFacts[] }>();
  let facts: readonly ColumnFacts[] = [];
  const rows: (string | Uint8Array | null)[][] = [];
  const request = new Request(batch, (error) => {
    if (error) reject(error);
    else resolve({ columns: facts.map(({ colName }) => colName), rows, facts });
  });
  request.on("columnMetadata", (columns: unknown) => facts = columns as readonly ColumnFacts[]);
  request.on("row", (cells: readonly Cell[]) => rows.push(cells.map(textOf)));
  connection.execSqlBatch(request);
  return promise;
}

function textOf({ value, metadata }: Cell): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (!(value instanceof Date)) return String(value);
  const text = value.toISOString().replace("T", " ").replace("Z", "");
  if (metadata.type.name === "Date") return text.slice(0, 10);
  return metadata.type.name === "Time" ? text.slice(11) : text;
}
