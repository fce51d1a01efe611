/**
 * A hand-written handler for one table on MySQL: the yardstick of the benchmark. Same driver, same query,
 * same references, prepared statements, `JSON.stringify` with the same indentation.
 *
 * Usage: deno run -A bench/mysql_baseline.ts POOL_OPTIONS_IN_JSON API_KEY
 *
 * @module
 */

import mysql2 from "mysql2";
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
const pool = mysql2.createPool({ ...JSON.parse(options), dateStrings: true, decimalNumbers: true }).promise();

const app = createApp(key);
app.get(LIST, async (context) => {
  const [rows] = await pool.execute("SELECT * FROM Ticket ORDER BY TicketId LIMIT ?", [limitOf(context)]);
  return answerList(rows as Ticket[], context);
});
app.get(RECORD, async (context) => {
  const [rows] = await pool.execute("SELECT * FROM Ticket WHERE TicketId = ?", [idOf(context)]);
  const [row] = rows as Ticket[];
  return answerRecord(row, context);
});
app.post(LIST, async (context) => {
  const values = "INSERT INTO Ticket (BookingId, FareCode, Passenger, Price) VALUES (?, ?, ?, ?)";
  const [result] = await pool.execute(values, [...await newTicket(context)]);
  return answerCreated("insertId" in result ? result.insertId : undefined, context);
});
serve(app);
