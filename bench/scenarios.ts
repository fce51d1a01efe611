/**
 * The scenarios: requests that the service and the baseline answer with the same body.
 *
 * @module
 */

/** A request with its name for `--only`. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A POST with this body; absent: GET. */
  readonly body?: string;
}

/** The key of the user that the benchmark adds to the service's users. */
export const API_KEY = "benchmark-key-0123456789abcdefghijklmnop";

const RECORD = "/db/Demo/Ticket/TicketId/1832.json";

const TICKET = '{"BookingId": 1, "FareCode": "ADULT", "Passenger": "Ada", "Price": 12.5}';

/** In the order of measurement. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "record", description: "one record by key", path: RECORD, headers: {} },
  { name: "list100", description: "list of 100", path: "/db/Demo/Ticket.json?limit=100", headers: {} },
  { name: "list1000", description: "list of 1000", path: "/db/Demo/Ticket.json?limit=1000", headers: {} },
  { name: "apikey", description: "one record with API key", path: RECORD, headers: { apikey: API_KEY } },
  {
    name: "post",
    description: "one new record",
    path: "/db/Demo/Ticket.json",
    headers: { apikey: API_KEY, "Content-Type": "application/json" },
    body: TICKET,
  },
];
