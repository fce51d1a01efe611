/**
 * A connection to MySQL or MariaDB.
 *
 * @module
 */

import { createConnection, type FieldPacket, type RowDataPacket } from "mysql2/promise";
import type { Address } from "@/tests/support/servers/mod.ts";
import type { Connection, Rows } from "./connection.ts";

/** Exact numbers, dates and JSON come as text. */
export async function connectMysql(
  { host, port, user, password }: Address,
  database: string,
): Promise<Connection> {
  const connection = await createConnection({
    ...{ host, port, user, password, database },
    ...{ multipleStatements: true, rowsAsArray: true, dateStrings: true, charset: "utf8mb4" },
    ...{ supportBigNumbers: true, bigNumberStrings: true, jsonStrings: true },
  });
  const ask = async (query: string): Promise<Rows> => {
    const [rows, fields] = await connection.query<RowDataPacket[][]>(query);
    return readResult(rows as unknown as readonly unknown[][], fields);
  };
  return {
    query: async (...queries) => {
      const results = [];
      for (const query of queries) results.push(await ask(query));
      return results;
    },
    run: async (script) => void await connection.query(script),
    [Symbol.asyncDispose]: () => connection.end(),
  };
}

function readResult(rows: readonly (readonly unknown[])[], fields: readonly FieldPacket[]): Rows {
  const decode = (value: unknown) => {
    if (value === null) return null;
    return value instanceof Uint8Array ? Uint8Array.from(value) : String(value);
  };
  return { columns: fields.map(({ name }) => name), rows: rows.map((row) => row.map(decode)) };
}
