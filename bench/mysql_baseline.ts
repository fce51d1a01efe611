/**
 * A hand-written handler for one table on MySQL: the yardstick of the benchmark. Same driver, same query,
 * same references, prepared statements, `JSON.stringify` with the same indentation.
 *
 * Usage: deno run -A bench/mysql_baseline.ts POOL_OPTIONS_IN_JSON API_KEY
 *
 * @module
 */

import mysql2 from "mysql2";
import { serveTickets, type Ticket } from "./by_hand.ts";

const [options = "{}", key = ""] = Deno.args;
const pool = mysql2.createPool({ ...JSON.parse(options), dateStrings: true, decimalNumbers: true }).promise();

serveTickets(key, {
  async list(limit) {
    const [rows] = await pool.execute("SELECT * FROM Ticket ORDER BY TicketId LIMIT ?", [limit]);
    return rows as Ticket[];
  },
  async find(id) {
    const [rows] = await pool.execute("SELECT * FROM Ticket WHERE TicketId = ?", [id]);
    const [row] = rows as Ticket[];
    return row;
  },
  async insert(values) {
    const sql = "INSERT INTO Ticket (BookingId, FareCode, Passenger, Price) VALUES (?, ?, ?, ?)";
    const [result] = await pool.execute(sql, [...values]);
    return "insertId" in result ? result.insertId : undefined;
  },
});
