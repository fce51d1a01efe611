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
import {
  answerCreated,
  answerList,
  answerRecord,
  createApp,
  idOf,
  limitOf,
  LIST,
  newTicket,
  RECORD,
  serve,
  type Ticket,
} from "./by_hand.ts";

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

const app = createApp(key);
app.get(LIST, (context) => answerList(list.all([limitOf(context)]) as Ticket[], context));
app.get(RECORD, (context) => answerRecord(byKey.get([idOf(context)]) as Ticket | undefined, context));
app.post(LIST, async (context) => {
  const [row] = insert.all(await newTicket(context)) as [number][];
  return answerCreated(row?.[0], context);
});
serve(app);
