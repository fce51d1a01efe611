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
  /** A script of wrk that asks for more than this path; other generators repeat the path. */
  readonly script?: string;
}

/** The key of the user that the benchmark adds to the service's users. */
export const API_KEY = "benchmark-key-0123456789abcdefghijklmnop";

/** One record by its key. */
export const RECORD = "/db/Demo/Ticket/TicketId/1832.json";

/** A script that asks for different records in turn: requests for the same one could share a row. */
export const RECORDS = `local requests, turn = {}, 0
function request()
  turn = turn % 1000 + 1
  requests[turn] = requests[turn] or wrk.format("GET", "/db/Demo/Ticket/TicketId/" .. turn .. ".json")
  return requests[turn]
end
`;

/** A new record. */
export const TICKET = '{"BookingId": 1, "FareCode": "ADULT", "Passenger": "Ada", "Price": 12.5}';

/** In the order of measurement. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "record", description: "one record by key", path: RECORD, headers: {}, script: RECORDS },
  { name: "list100", description: "list of 100", path: "/db/Demo/Ticket.json?limit=100", headers: {} },
  { name: "list1000", description: "list of 1000", path: "/db/Demo/Ticket.json?limit=1000", headers: {} },
  {
    name: "apikey",
    description: "one record with API key",
    path: RECORD,
    headers: { apikey: API_KEY },
    script: RECORDS,
  },
  {
    name: "post",
    description: "one new record",
    path: "/db/Demo/Ticket.json",
    headers: { apikey: API_KEY, "Content-Type": "application/json" },
    body: TICKET,
  },
];
