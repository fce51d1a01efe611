/**
 * The service under test on each engine, with the tickets that the workloads change.
 *
 * @module
 */

import { loadDatabase } from "@/tests/support/databases/mod.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { placeOn } from "./database_server.ts";
import { Home, PASSWORD, writeConfiguration } from "./home.ts";
import { API_KEY } from "./scenarios.ts";
import { Server } from "./server.ts";
import { type Credentials, FIRST_TICKET } from "./workloads.ts";

/** The engines that workloads run on. */
export const ENGINES = ["sqlite", "postgresql", "mysql"] as const;

/** One of them. */
export type BenchEngine = (typeof ENGINES)[number];

/** Bookings of the demo that get the tickets. */
const BOOKINGS = 500;
/** Records in one POST. */
const BULK = 10_000;

/** A running service. Disposing ends it and removes its home. */
export interface Subject extends AsyncDisposable {
  readonly server: Server;
  /** The headers of a caller. */
  headersOf(credentials: Credentials): Readonly<Record<string, string>>;
}

/** Starts the service on an engine, and makes tickets from {@link FIRST_TICKET} on. */
export async function startSubject(engine: BenchEngine, tickets: number): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const home: BenchHome = engine === "sqlite" ? stack.use(new Home()) : await homeOn(engine, stack);
  const { directory } = home;
  const server = stack.use(await Server.start(["main.ts", "serve", "--home", directory, "--port", "0"]));
  await makeTickets(server, tickets);
  await home.analyze?.();
  const headers: Readonly<Record<Credentials, Readonly<Record<string, string>>>> = {
    none: {},
    apikey: { apikey: API_KEY },
    basic: { Authorization: `Basic ${btoa(`bench:${PASSWORD}`)}` },
    session: await logIn(server),
  };
  const owned = stack.move();
  return {
    server,
    headersOf: (credentials) => headers[credentials],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What the planner of a server believes of new tables is wrong until it has counted their rows. */
const ANALYZE = { postgresql: "ANALYZE;", mysql: "ANALYZE TABLE Booking, Ticket;" };

interface BenchHome {
  readonly directory: string;
  analyze?(): Promise<unknown>;
}

async function homeOn(engine: keyof typeof ANALYZE, stack: AsyncDisposableStack): Promise<BenchHome> {
  const server = stack.use(await useServer(engine));
  const database = await loadDatabase(server, "demo", "bench");
  stack.defer(() => server.dropDatabase(database));
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-bench-" });
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  writeConfiguration(directory, placeOn(server, database));
  return { directory, analyze: () => server.exec(ANALYZE[engine], database) };
}

async function makeTickets({ url }: Server, tickets: number): Promise<void> {
  for (let first = 0; first < tickets; first += BULK) {
    const records = Array.from({ length: Math.min(BULK, tickets - first) }, (_, index) => ({
      TicketId: FIRST_TICKET + first + index,
      BookingId: index % BOOKINGS + 1,
      FareCode: "ADULT",
      Passenger: "Ada",
      Price: 12.5,
    }));
    await requireStatus(201, `${url}/db/Demo/Ticket.json`, { apikey: API_KEY }, records);
  }
}

async function logIn({ url }: Server): Promise<Readonly<Record<string, string>>> {
  const credentials = { login: "bench", password: PASSWORD };
  const answer = await requireStatus(200, `${url}/login`, {}, credentials);
  const [cookie = ""] = answer.headers.getSetCookie();
  return { Cookie: cookie.split(";", 1)[0] ?? "" };
}

async function requireStatus(
  status: number,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
  return answer;
}
