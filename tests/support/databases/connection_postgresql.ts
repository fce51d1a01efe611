/**
 * A connection to PostgreSQL.
 *
 * @module
 */

import postgres from "postgres";
import type { Address } from "@/tests/support/servers/mod.ts";
import type { Connection, Rows } from "./connection.ts";

interface RawResult extends Array<(Uint8Array | null)[]> {
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

const BYTEA = 17;

/** By the simple protocol, so that values come in the text form of the server. */
export async function connectPostgresql(
  { host, port, user, password }: Address,
  database: string,
): Promise<Connection> {
  const sql = postgres({
    ...{ host, port, database, username: user, password },
    ...{ max: 1, fetch_types: false, max_lifetime: null, onnotice: () => {} },
  });
  const send = (text: string) => sql.unsafe(text).simple();
  await send("SELECT 1");
  return {
    query: async (...queries) => {
      const result = await send(queries.join(";\n")).raw() as unknown as RawResult | readonly RawResult[];
      return (isOne(result) ? [result] : result).map(readResult);
    },
    run: async (script) => void await send(script),
    [Symbol.asyncDispose]: () => sql.end(),
  };
}

function isOne(result: RawResult | readonly RawResult[]): result is RawResult {
  return "columns" in result;
}

function readResult(result: RawResult): Rows {
  const { columns } = result;
  const decode = (cell: Uint8Array | null, at: number) => {
    const text = cell && new TextDecoder().decode(cell);
    return text !== null && columns[at]?.type === BYTEA ? Uint8Array.fromHex(text.slice(2)) : text;
  };
  return { columns: columns.map(({ name }) => name), rows: result.map((row) => row.map(decode)) };
}
