/**
 * The common parts of the hand-written servers, independent of the driver.
 *
 * @module
 */

import { type Context, Hono } from "hono";

/** A row of the table in the form of the drivers. */
export interface Ticket {
  readonly TicketId: number;
  readonly CheckedInAt: string | null;
}

/** The path of lists. */
export const LIST = "/db/Demo/Ticket.json";
/** The route of one record, in Hono's syntax. */
export const RECORD = "/db/Demo/Ticket/TicketId/:id{\\d+\\.json}";

/** An application that finds the API key in a map. */
export function createApp(key: string): Hono {
  const users = new Map([[key, "bench"]]);
  const app = new Hono();
  app.use(async (context, next) => {
    const apikey = context.req.header("apikey");
    if (apikey !== undefined && !users.has(apikey)) return context.text("Forbidden", 403);
    return await next();
  });
  return app;
}

/** The limit of a list. */
export function limitOf(context: Context): number {
  return Number(context.req.query("limit"));
}

/** The key of the requested record. */
export function idOf(context: Context): number {
  return Number.parseInt(context.req.param("id") ?? "", 10);
}

/** Answers with a list. */
export function answerList(rows: readonly Ticket[], context: Context): Response {
  return json(context, rows.map(decorate));
}

/** Answers with a record, or 404. */
export function answerRecord(row: Ticket | undefined, context: Context): Response | Promise<Response> {
  return row ? json(context, decorate(row)) : context.notFound();
}

/** A new row, as a client sends it. */
export type NewTicket = readonly [bookingId: number, fareCode: string, passenger: string, price: number];

/** The values of the body. */
export async function newTicket(context: Context): Promise<NewTicket> {
  const { BookingId, FareCode, Passenger, Price } = await context.req.json();
  return [BookingId, FareCode, Passenger, Price];
}

/** Answers with the path of a new record. */
export function answerCreated(id: unknown, context: Context): Response {
  const path = `/db/Demo/Ticket/TicketId/${id}`;
  return context.body(path, 201, { "Content-Type": "text/html; charset=utf-8", Location: path });
}

/** Serves on any free port and prints it. */
export function serve(app: Hono): void {
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
