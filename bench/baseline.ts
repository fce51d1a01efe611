/**
 * A hand-written handler for one table: the yardstick of the benchmark. Same driver, same query, same
 * references, `JSON.stringify` with the same indentation.
 *
 * Usage: deno run -A bench/baseline.ts DATABASE_FILE API_KEY
 *
 * @module
 */

// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { serveTickets, type Ticket } from "./by_hand.ts";

const [file = "demo.db", key = ""] = Deno.args;
const database = new Sqlite(file);
// As durable as the service's own writes.
database.pragma("synchronous = EXTRA");
database.pragma("foreign_keys = ON");
const byKey = database.prepare("SELECT * FROM Ticket WHERE TicketId = ?");
const list = database.prepare("SELECT * FROM Ticket ORDER BY TicketId LIMIT ?");

const insert = database.prepare(
  "INSERT INTO Ticket (BookingId, FareCode, Passenger, Price) VALUES (?, ?, ?, ?) RETURNING TicketId",
).raw();

serveTickets(key, {
  list: (limit) => list.all([limit]) as Ticket[],
  find: (id) => byKey.get([id]) as Ticket | undefined,
  insert(values) {
    const [row] = insert.all(values) as [number][];
    return row?.[0];
  },
});
