/**
 * What one would write by hand for one table on PostgreSQL: the yardstick of the benchmark. Same driver, same query, same
 * references, prepared statements on a pool of the same size, `JSON.stringify` with the same indentation.
 *
 * Usage: deno run -A bench/postgresql_baseline.ts DRIVER_OPTIONS_IN_JSON API_KEY
 *
 * @module
 */

import { type Context, Hono } from "hono";
import postgres from "postgres";

interface Ticket {
  readonly TicketId: number;
  readonly CheckedInAt: string | null;
}

const [options = "{}", key = ""] = Deno.args;
const sql = postgres({
  ...JSON.parse(options),
  types: {
    timestamp: { to: 1114, from: [1114], serialize: String, parse: (text: string) => text },
    numbers: { to: 20, from: [20, 1700], serialize: String, parse: Number },
  },
});
const users = new Map([[key, "bench"]]);

const app = new Hono();
app.use(async (context, next) => {
  const apikey = context.req.header("apikey");
  if (apikey !== undefined && !users.has(apikey)) return context.text("Forbidden", 403);
  return await next();
});
app.get("/db/Demo/Ticket.json", async (context) => {
  const limit = Number(context.req.query("limit"));
  const rows = await sql<Ticket[]>`SELECT * FROM "Ticket" ORDER BY "TicketId" LIMIT ${limit}`;
  return json(context, rows.map(decorate));
});
app.get("/db/Demo/Ticket/TicketId/:id{\\d+\\.json}", async (context) => {
  const id = Number.parseInt(context.req.param("id"), 10);
  const [row] = await sql<Ticket[]>`SELECT * FROM "Ticket" WHERE "TicketId" = ${id}`;
  return row ? json(context, decorate(row)) : context.notFound();
});

Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: announce }, app.fetch);

function decorate(row: Ticket): unknown {
  const path = `/db/Demo/Ticket/TicketId/${row.TicketId}`;
  return {
    __href: `${path}.json`,
    Booking: { __href: `${path}/Booking.json` },
    Fare: { __href: `${path}/Fare.json` },
    ...row,
    CheckedInAt: row.CheckedInAt && row.CheckedInAt.replace(" ", "T"),
  };
}

function json(context: Context, value: unknown): Response {
  return context.body(JSON.stringify(value, null, 4), 200, { "Content-Type": "application/json" });
}

function announce({ hostname, port }: Deno.NetAddr): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`listening on http://${hostname}:${port}\n`));
}
