/** @module The statements of lists for people, beside those of the same list for programs. */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";

const service = sharedService();

async function statementsOf(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  using _watch = watchStatements((statements) => found.push(...statements));
  const answer = await service().fetch(path);
  assert.equal(answer.status, 200, path);
  await answer.body?.cancel();
  return found;
}

/**
 * The statements of a page, of the same page with the numbers of related records, and of the JSON answer with
 * related records. Short lists need no statement for the number of their rows, and long ones remember it.
 */
const STATEMENTS: Readonly<Record<string, readonly [page: number, counts: number, json: number]>> = {
  Amenity: [1, 2, 2],
  Booking: [2, 2, 5],
  Country: [2, 4, 3],
  Crew: [2, 1, 3],
  Customer: [2, 3, 3],
  Employee: [2, 5, 6],
  Fare: [2, 3, 2],
  Port: [2, 6, 6],
  RevenueByMonth: [2, 2, 1],
  Route: [2, 3, 4],
  Sailing: [2, 4, 5],
  Ticket: [2, 1, 3],
  Timetable: [2, 2, 1],
  Vessel: [2, 4, 4],
  VesselAmenity: [2, 2, 3],
};

Deno.test("a list needs one statement for its rows and their labels, one for their number, and one for each number of related records", async () => {
  const { Demo: { __href: _, ...tables } } = await (await service().fetch("/db/Demo.json")).json();
  const numbers = new Map<string, readonly number[]>();
  for (const table of Object.keys(tables)) {
    const list = `/db/Demo/${table}`;
    const page = await statementsOf(`${list}.html?limit=10`);
    const counts = await statementsOf(`${list}.html?limit=10&ui.counts`);
    const json = await statementsOf(`${list}.json?limit=10&depth=1`);
    numbers.set(table, [page.length, counts.length, json.length]);
    const relations = json.length - 1;
    assert.ok(page.length <= relations + 3 && counts.length <= relations + 3, `${table}: ${page.join("\n")}`);
  }
  assert.deepEqual(Object.fromEntries(numbers), STATEMENTS);
});
