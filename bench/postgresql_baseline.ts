/**
 * A hand-written handler for one table on PostgreSQL: the yardstick of the benchmark. Same
 * driver, same query, same references, prepared statements on a pool of the same size,
 * `JSON.stringify` with the same indentation.
 *
 * Usage: deno run -A bench/postgresql_baseline.ts DRIVER_OPTIONS_IN_JSON API_KEY
 *
 * @module
 */

import postgres from "postgres";
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

const [options = "{}", key = ""] = Deno.args;
const sql = postgres({
  ...JSON.parse(options),
  types: {
    timestamp: { to: 1114, from: [1114], serialize: String, parse: (text: string) => text },
    numbers: { to: 20, from: [20, 1700], serialize: String, parse: Number },
  },
});

const app = createApp(key);
app.get(LIST, async (context) => {
  const rows = await sql<Ticket[]>`SELECT * FROM "Ticket" ORDER BY "TicketId" LIMIT ${limitOf(context)}`;
  return answerList(rows, context);
});
app.get(RECORD, async (context) => {
  const [row] = await sql<Ticket[]>`SELECT * FROM "Ticket" WHERE "TicketId" = ${idOf(context)}`;
  return answerRecord(row, context);
});
app.post(LIST, async (context) => {
  const [bookingId, fareCode, passenger, price] = await newTicket(context);
  const [row] = await sql`INSERT INTO "Ticket" ("BookingId", "FareCode", "Passenger", "Price")
    VALUES (${bookingId}, ${fareCode}, ${passenger}, ${price}) RETURNING "TicketId"`;
  return answerCreated(row?.["TicketId"], context);
});
serve(app);
