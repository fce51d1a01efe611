/**
 * What one would write by hand for one table: the yardstick of the benchmark. Same driver, same query, same
 * references, `JSON.stringify` with the same indentation.
 *
 * Usage: deno run -A bench/baseline.ts DATABASE_FILE API_KEY
 *
 * @module
 */

// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { type Context, Hono } from "hono";

interface Ticket {
  readonly TicketId: number;
  readonly CheckedInAt: string | null;
}

const [file = "demo.db", key = ""] = Deno.args;
const database = new Sqlite(file, { readonly: true });
const byKey = database.prepare("SELECT * FROM Ticket WHERE TicketId = ?");
const list = database.prepare("SELECT * FROM Ticket ORDER BY TicketId LIMIT ?");
const users = new Map([[key, "bench"]]);

const app = new Hono();
app.use(async (context, next) => {
  const apikey = context.req.header("apikey");
  if (apikey !== undefined && !users.has(apikey)) return context.text("Forbidden", 403);
  return await next();
});
app.get("/db/Demo/Ticket.json", (context) => {
  const rows = list.all([Number(context.req.query("limit"))]) as Ticket[];
  return json(context, rows.map(decorate));
});
app.get("/db/Demo/Ticket/TicketId/:id{\\d+\\.json}", (context) => {
  const row = byKey.get([Number.parseInt(context.req.param("id"), 10)]) as Ticket | undefined;
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
