/**
 * The common parts of the hand-written servers, independent of the driver.
 *
 * @module
 */

import { type Context, Hono } from "hono";
import { type Eventual, whenThere } from "@/core/base/eventual.ts";

/** A row of the table in the form of the drivers. */
export interface Ticket {
  readonly TicketId: number;
  readonly CheckedInAt: string | null;
}

const LIST = "/db/Demo/Ticket.json";

/** A new row, as a client sends it. */
type NewTicket = readonly [bookingId: number, fareCode: string, passenger: string, price: number];

/** The statements of a driver. */
interface Tickets {
  list(limit: number): Eventual<readonly Ticket[]>;
  find(id: number): Eventual<Ticket | undefined>;
  /** Returns the new key. */
  insert(values: NewTicket): Eventual<unknown>;
}

/** Serves the table on any free port, which is printed. The API key is found in a map. */
export function serveTickets(key: string, { list, find, insert }: Tickets): void {
  const users = new Map([[key, "bench"]]);
  const app = new Hono();
  app.use(async (context, next) => {
    const apikey = context.req.header("apikey");
    if (apikey !== undefined && !users.has(apikey)) return context.text("Forbidden", 403);
    return await next();
  });
  app.get(
    LIST,
    (context) =>
      whenThere(list(Number(context.req.query("limit"))), (rows) => json(context, rows.map(decorate))),
  );
  app.get(
    "/db/Demo/Ticket/TicketId/:id{\\d+\\.json}",
    (context) =>
      whenThere(
        find(Number.parseInt(context.req.param("id"), 10)),
        (row) => row ? json(context, decorate(row)) : context.notFound(),
      ),
  );
  app.post(LIST, async (context) => {
    const { BookingId, FareCode, Passenger, Price } = await context.req.json();
    const path = `/db/Demo/Ticket/TicketId/${await insert([BookingId, FareCode, Passenger, Price])}`;
    return context.body(path, 201, { "Content-Type": "text/html; charset=utf-8", Location: path });
  });
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: announce }, app.fetch);
}

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

/** Prints the address. */
export function announce({ hostname, port }: Deno.NetAddr): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`listening on http://${hostname}:${port}\n`));
}
