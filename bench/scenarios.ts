/**
 * The scenarios: requests that the service and the baseline answer with the same body.
 *
 * @module
 */

/** A GET request with its name for `--only`. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The key of the user that the benchmark adds to the service's users. */
export const API_KEY = "benchmark-key-0123456789abcdefghijklmnop";

const RECORD = "/db/Demo/Ticket/TicketId/1832.json";

/** In the order of measurement. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "record", description: "one record by key", path: RECORD, headers: {} },
  { name: "list100", description: "list of 100", path: "/db/Demo/Ticket.json?limit=100", headers: {} },
  { name: "list1000", description: "list of 1000", path: "/db/Demo/Ticket.json?limit=1000", headers: {} },
  { name: "apikey", description: "one record with API key", path: RECORD, headers: { apikey: API_KEY } },
];
