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
import { serveTickets, type Ticket } from "./by_hand.ts";

const [options = "{}", key = ""] = Deno.args;
const sql = postgres({
  ...JSON.parse(options),
  types: {
    timestamp: { to: 1114, from: [1114], serialize: String, parse: (text: string) => text },
    numbers: { to: 20, from: [20, 1700], serialize: String, parse: Number },
  },
});

serveTickets(key, {
  list: async (limit) => await sql<Ticket[]>`SELECT * FROM "Ticket" ORDER BY "TicketId" LIMIT ${limit}`,
  async find(id) {
    const [row] = await sql<Ticket[]>`SELECT * FROM "Ticket" WHERE "TicketId" = ${id}`;
    return row;
  },
  async insert([bookingId, fareCode, passenger, price]) {
    const [row] = await sql`INSERT INTO "Ticket" ("BookingId", "FareCode", "Passenger", "Price")
      VALUES (${bookingId}, ${fareCode}, ${passenger}, ${price}) RETURNING "TicketId"`;
    return row?.["TicketId"];
  },
});
