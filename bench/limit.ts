/**
 * The least that a server with this runtime and driver needs: `Deno.serve` without a
 * framework, rows as arrays, the answer as one text without intermediate objects. It knows one
 * table, and looks at nothing but the path.
 *
 * Usage: deno run -A bench/limit.ts DATABASE_FILE
 *
 * @module
 */

// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { announce } from "./by_hand.ts";

const HEADERS: [string, string][] = [["Content-Type", "application/json"]];

const database = new Sqlite(Deno.args[0] ?? "demo.db");
const byKey = database.prepare("SELECT * FROM Ticket WHERE TicketId = ?").raw();
const list = database.prepare("SELECT * FROM Ticket ORDER BY TicketId LIMIT ?").raw();

function quote(value: unknown): string {
  return typeof value === "string" && !/["\\\n]/.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** `tab`: the white space before each line. */
function record(row: readonly unknown[], tab: string): string {
  const [id, booking, fare, passenger, seat, price, discount, charged, at] = row;
  const path = `"/db/Demo/Ticket/TicketId/${id}`;
  const next = `,${tab}    `;
  const reference = `{${tab}        "__href": ${path}`;
  const time = typeof at === "string" ? `${at.slice(0, 10)}T${at.slice(11)}` : at;
  return `{${tab}    "__href": ${path}.json"` +
    `${next}"Booking": ${reference}/Booking.json"${tab}    }${next}"Fare": ${reference}/Fare.json"${tab}    }` +
    `${next}"TicketId": ${id}${next}"BookingId": ${booking}${next}"FareCode": ${quote(fare)}` +
    `${next}"Passenger": ${quote(passenger)}${next}"Seat": ${quote(seat)}${next}"Price": ${price}` +
    `${next}"Discount": ${discount}${next}"Charged": ${charged}${next}"CheckedInAt": ${quote(time)}${tab}}`;
}

function answer({ url }: Request): Response {
  const limit = /[?]limit=(\d+)$/.exec(url)?.[1];
  let text = "";
  if (limit) {
    for (const row of list.all([limit]) as unknown[][]) {
      text += `${text && ","}\n    ${record(row, "\n    ")}`;
    }
    text = `[${text}\n]`;
  } else text = record(byKey.get([/(\d+)[.]json$/.exec(url)?.[1]]) as unknown[], "\n");
  return new Response(text, { headers: HEADERS });
}

Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: announce }, answer);
