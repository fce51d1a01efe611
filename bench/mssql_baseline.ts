/**
 * A hand-written handler for one table on SQL Server: the yardstick of the benchmark. Same
 * driver, same query, same references, a pool of the same size, `JSON.stringify` with the
 * same indentation.
 *
 * Usage: deno run -A bench/mssql_baseline.ts PLACE_IN_JSON API_KEY
 *
 * @module
 */

import { type Connection, Request, TYPES } from "tedious";
import { openMssql } from "@/tests/support/servers/mssql.ts";
import { serveTickets, type Ticket } from "./by_hand.ts";

const [place = "{}", key = ""] = Deno.args;
const { max, database, ...address } = JSON.parse(place);
const idle: Connection[] = [];
for (let opened = 0; opened < max; opened++) idle.push(await openMssql(address, database));
const waiting: ((connection: Connection) => void)[] = [];

function acquire(): Promise<Connection> {
  const connection = idle.pop();
  return connection ? Promise.resolve(connection) : new Promise((resolve) => waiting.push(resolve));
}

function release(connection: Connection): void {
  const next = waiting.shift();
  if (next) next(connection);
  else idle.push(connection);
}

type Parameter = readonly [name: string, type: (typeof TYPES)[keyof typeof TYPES], value: unknown];
type Row = Record<string, unknown>;
type Cells = readonly { readonly metadata: { readonly colName: string }; readonly value: unknown }[];

async function query(text: string, parameters: readonly Parameter[]): Promise<Row[]> {
  const connection = await acquire();
  try {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    const rows: Row[] = [];
    const request = new Request(text, (error) => error ? reject(error) : resolve(rows));
    for (const [name, type, value] of parameters) request.addParameter(name, type, value);
    request.on("row", (cells: Cells) => {
      rows.push(Object.fromEntries(cells.map(({ metadata, value }) => [metadata.colName, value])));
    });
    connection.execSql(request);
    return await promise;
  } finally {
    release(connection);
  }
}

/** The driver makes dates of moments. */
function ticketOf(row: Row): Ticket {
  const { CheckedInAt: moment } = row;
  const text = moment instanceof Date ? moment.toISOString().slice(0, 19) : null;
  return { ...row, CheckedInAt: text } as unknown as Ticket;
}

serveTickets(key, {
  async list(limit) {
    const sql = "SELECT TOP (@limit) * FROM Ticket ORDER BY TicketId";
    return (await query(sql, [["limit", TYPES.Int, limit]])).map(ticketOf);
  },
  async find(id) {
    const [row] = await query("SELECT * FROM Ticket WHERE TicketId = @id", [["id", TYPES.Int, id]]);
    return row && ticketOf(row);
  },
  async insert([bookingId, fareCode, passenger, price]) {
    const [row] = await query(
      `INSERT INTO Ticket (BookingId, FareCode, Passenger, Price) OUTPUT inserted.TicketId
       VALUES (@booking, @fare, @passenger, @price)`,
      [
        ["booking", TYPES.Int, bookingId],
        ["fare", TYPES.NVarChar, fareCode],
        ["passenger", TYPES.NVarChar, passenger],
        ["price", TYPES.Float, price],
      ],
    );
    return row?.["TicketId"];
  },
});
