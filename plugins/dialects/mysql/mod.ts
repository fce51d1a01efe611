/**
 * MySQL 8 and MariaDB 10.6 or later, on mysql2.
 *
 * Every login has its own pool; a read, a stream or a transaction has a connection for itself. Of the
 * pool's settings, `max` is the number of connections of one login, beside one control connection.
 * `acquireTimeout` limits the wait for a connection, for the server to accept it, and for a lock.
 * `statementTimeout` limits a statement, one chunk of a stream, and a transaction from its beginning to its
 * commit; also the time in which a stream's reader must take the next chunk. Statements that take longer,
 * or whose caller has gone, are ended on the server.
 *
 * @module
 */

import type {
  ConnectOptions,
  DatabaseDefinition,
  DialectHost,
  DialectPlugin,
  Login,
} from "@/plugins/contract.ts";
import { MysqlDatabase } from "./database.ts";
import type { ConnectionOptions, SslOptions } from "./driver.ts";
import { connectFailure } from "./failures.ts";
import { readEncryption } from "./encryption.ts";
import { addressOf, connectionOptions, remarksOn } from "./options.ts";
import { complaintAbout, type Place, readServer, sessionSettings } from "./server.ts";
import { Session } from "./session.ts";

export default {
  contract: 2,
  kind: "dialect",
  name: "mysql",
  setup: (_section, host) => ({
    hasLogins: true,
    connect: (definition, login, options) => connect(definition, login, host, options),
  }),
} satisfies DialectPlugin;

const FACTS = "SELECT version(), @@auto_increment_increment";

/** Connects once to read the server's version; throws if the server or the login fails. */
async function connect(
  definition: DatabaseDefinition,
  login: Login,
  { log, echo, directory }: DialectHost,
  { signal }: ConnectOptions,
): Promise<MysqlDatabase> {
  for (const remark of remarksOn(definition)) log.warn(`Database ${definition.id}: ${remark}`);
  const { pool: settings, dbName, dbSchema } = definition;
  const open = opener(definition, await readEncryption(definition.ssl, directory));
  const [version, identityStep] = await readFacts(await open(login), signal);
  const server = readServer(version);
  const complaint = complaintAbout(server, version);
  if (complaint !== undefined) throw new Error(complaint);
  const place: Place = {
    server,
    settings,
    identityStep,
    schemas: dbSchema.length > 0 ? dbSchema : [dbName],
    log,
    echo,
    open: (other) => ready(open(other), sessionSettings(server, settings)),
  };
  return new MysqlDatabase(place, login);
}

/** The driver caches objects made from a login's encryption settings, so these are created once. */
function opener(
  definition: DatabaseDefinition,
  ssl: SslOptions | undefined,
): (login: Login) => Promise<Session> {
  const address = addressOf(definition);
  const known = new Map<string, ConnectionOptions>();
  return (login) => {
    const key = JSON.stringify([login.dbuser, login.dbpass]);
    const options = known.get(key) ?? connectionOptions(definition, login, ssl);
    known.set(key, options);
    return Session.open(options, address);
  };
}

/** The version, and the step between counted keys. */
async function readFacts(session: Session, signal: AbortSignal): Promise<readonly [string, number]> {
  const giveUp = () => session.destroy(signal.reason);
  signal.addEventListener("abort", giveUp);
  try {
    signal.throwIfAborted();
    const answer = await session.run(FACTS, []);
    const [version = "", step = 1] = "rows" in answer ? answer.rows[0] ?? [] : [];
    return [String(version), Number(step)];
  } finally {
    signal.removeEventListener("abort", giveUp);
    await session.end();
  }
}

/** A login with an expired password may connect and SET, but not run this statement. */
const TELLING = "DO 0";

/** A connection without its settings is unusable. */
async function ready(opening: Promise<Session>, settings: string): Promise<Session> {
  const session = await opening;
  try {
    await session.prepare(settings);
    await session.command(TELLING);
    return session;
  } catch (error) {
    session.destroy(error);
    throw connectFailure(error);
  }
}
