/**
 * What the benchmarks ask of a service with the demo database.
 *
 * @module
 */

import { RECORD, RECORDS, TICKET } from "./scenarios.ts";

/** How a caller of the service is known. */
export type Credentials = "none" | "apikey" | "basic" | "session";

/** Requests of one kind, repeated. */
export interface Workload {
  readonly name: string;
  readonly description: string;
  /**
   * The script of wrk that makes the requests; absent: GET of the path. It may change {@link SHARE} tickets
   * from the first on, which differs for each measurement.
   */
  script?(first: number): string;
  readonly path: string;
  readonly credentials: Credentials;
  readonly headers?: Readonly<Record<string, string>>;
  /** Connections, where fewer than usual are meant. */
  readonly connections?: number;
  /** The workloads that ratios are printed against. */
  readonly comparedWith?: readonly string[];
}

const LIST = "/db/Demo/Ticket";
const JSON_BODY = { "Content-Type": "application/json" };

/**
 * Tickets with keys begin here, so that every engine has them under the same keys: above all keys that the
 * sequence of PostgreSQL reaches in a run.
 */
export const FIRST_TICKET = 1_000_000_000;
/** Tickets that one measurement changes or deletes at most. */
export const SHARE = 150_000;

const THOUSAND = `[${Array.from({ length: 1000 }, () => TICKET).join(",")}]`;

/** A script that counts upwards from the first ticket, each key once. */
function counting(method: string, body?: string): (first: number) => string {
  return (first) =>
    `local id = ${first - 1}
function request()
  id = id + 1
  return wrk.format("${method}", "/db/Demo/Ticket/TicketId/" .. id .. ".json", nil, ${
      body === undefined ? "nil" : JSON.stringify(body)
    })
end
`;
}

function posting(body: string): () => string {
  return () => `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n`;
}

const MIXED = `local count = 0
function request()
  count = count + 1
  if count % 5 == 0 then return wrk.format("POST", "/db/Demo/Ticket.json", nil, ${JSON.stringify(TICKET)}) end
  return wrk.format("GET", "/db/Demo/Ticket/TicketId/" .. count % 1000 + 1 .. ".json")
end
`;

function oneRecord(name: string, description: string, credentials: Credentials): Workload {
  const workload = { name, description, path: RECORD, script: () => RECORDS, credentials };
  return name === "record" ? workload : { ...workload, comparedWith: ["record"] };
}

function reading(name: string, description: string, path: string): Workload {
  return { name, description, path, credentials: "none" };
}

/** In the order of measurement. */
export const WORKLOADS: readonly Workload[] = [
  oneRecord("record", "one record by key", "none"),
  oneRecord("apikey", "one record, API key", "apikey"),
  oneRecord("basic", "one record, HTTP Basic", "basic"),
  oneRecord("session", "one record, session", "session"),
  reading("list100", "list of 100", `${LIST}.json?limit=100`),
  reading("list1000", "list of 1,000", `${LIST}.json?limit=1000`),
  reading("filtered", "100 of a filtered list", `${LIST}/FareCode/ADULT/Price/10...json?limit=100`),
  reading(
    "traversal",
    "100 over three tables",
    "/db/Demo/Customer/CountryCode/NO/Booking/Ticket.json?limit=100",
  ),
  reading("depth", "100 with related records", `${LIST}.json?limit=100&depth=1`),
  reading("columns", "list of two columns", `${LIST}/TicketId,Price.json?limit=100`),
  { ...reading("csv", "list of 100, CSV", `${LIST}.csv?limit=100`), comparedWith: ["list100"] },
  { ...reading("xml", "list of 100, XML", `${LIST}.xml?limit=100`), comparedWith: ["list100"] },
  // The page has the labels of related records, as the list of the same tickets with related records.
  { ...reading("html", "page of 100", `${LIST}.html?limit=100`), comparedWith: ["list100", "depth"] },
  reading("query", "saved query, 100 rows", "/query/tickets/fare/ADULT.json?limit=100"),
  {
    name: "post",
    description: "one new record",
    path: `${LIST}.json`,
    credentials: "apikey",
    headers: JSON_BODY,
    script: posting(TICKET),
  },
  {
    name: "post1000",
    description: "1,000 new records",
    path: `${LIST}.json`,
    credentials: "apikey",
    headers: JSON_BODY,
    script: posting(THOUSAND),
    connections: 4,
  },
  {
    name: "put",
    description: "one changed record",
    path: `${LIST}.json`,
    credentials: "apikey",
    headers: JSON_BODY,
    script: counting("PUT", '{"Passenger": "Grace"}'),
  },
  {
    name: "delete",
    description: "one deleted record",
    path: `${LIST}.json`,
    credentials: "apikey",
    script: counting("DELETE"),
  },
  {
    name: "mixed",
    description: "80 % records, 20 % new ones",
    path: RECORD,
    credentials: "apikey",
    headers: JSON_BODY,
    script: () => MIXED,
  },
];
