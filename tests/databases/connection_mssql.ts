/**
 * A connection to SQL Server.
 *
 * @module
 */

import type { Connection as TediousConnection } from "tedious";
import { Request } from "tedious";
import { closeMssql, openMssql } from "@/tests/servers/mssql.ts";
import type { Address } from "@/tests/servers/mod.ts";
import type { Connection, Rows } from "./connection.ts";

interface Cell {
  readonly value: unknown;
  readonly metadata: { readonly colName: string };
}

export async function connectMssql(address: Address, database: string): Promise<Connection> {
  const connection = await openMssql(address, database);
  const ask = (query: string) => runBatch(connection, query);
  return {
    query: async (...queries) => {
      const results = [];
      for (const query of queries) results.push(await ask(query));
      return results;
    },
    run: async (script) => {
      for (const batch of script.split(/^GO\s*$/mi)) if (batch.trim() !== "") await ask(batch);
    },
    [Symbol.asyncDispose]: () => closeMssql(connection),
  };
}

function runBatch(connection: TediousConnection, batch: string): Promise<Rows> {
  const { promise, resolve, reject } = Promise.withResolvers<Rows>();
  let columns: readonly string[] = [];
  const rows: (string | Uint8Array | null)[][] = [];
  const request = new Request(batch, (error) => error ? reject(error) : resolve({ columns, rows }));
  request.on("row", (cells: readonly Cell[]) => {
    columns = cells.map(({ metadata }) => metadata.colName);
    rows.push(cells.map(({ value }) => textOf(value)));
  });
  connection.execSqlBatch(request);
  return promise;
}

function textOf(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  return value instanceof Date ? value.toISOString().replace("T", " ").replace("Z", "") : String(value);
}
