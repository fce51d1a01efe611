/**
 * MySQL 8 and MariaDB 10.6 or later, on mysql2.
 *
 * Every login has its own pool; a read, a stream or a transaction has a connection for itself. Of the pool's settings,
 * `max` is the number of connections of one login, beside one control connection. `acquireTimeout` limits the wait for a
 * connection, for the server to accept it, and for a lock. `statementTimeout` limits a statement, one chunk of a stream,
 * and a transaction from its beginning to its commit; also the time in which a stream's reader must take the next chunk.
 * Statements that take longer, or whose caller has gone, are ended on the server.
 *
 * @module
 */

import type { DatabaseDefinition, DialectHost, DialectPlugin, Login } from "@/plugins/contract.ts";
import { MysqlDatabase } from "./database.ts";
import type { ConnectionOptions, SslOptions } from "./driver.ts";
import { connectFailure } from "./failures.ts";
import { addressOf, connectionOptions, readSsl, remarksOn } from "./options.ts";
import { complaintAbout, type Place, readServer, type Server } from "./server.ts";
import { Session } from "./session.ts";
import { sessionSettings } from "./session_settings.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "mysql",
  setup: (_section, host) => ({
    hasLogins: true,
    connect: (definition, login) => connect(definition, login, host),
  }),
} satisfies DialectPlugin;

const FACTS = "SELECT version(), @@auto_increment_increment, database()";

/** Facts about the server from one connection. */
interface Facts {
  readonly server: Server;
  readonly identityStep: number;
  /** The database's name in the server's spelling. */
  readonly database: string;
}

/** Connects once to read the server's version; throws if the server or the login fails. */
export async function connect(
  definition: DatabaseDefinition,
  login: Login,
  host: DialectHost,
): Promise<MysqlDatabase> {
  for (const remark of remarksOn(definition)) host.log.warn(`Database ${definition.id}: ${remark}`);
  const open = opener(definition, await readSsl(definition.ssl, host.directory));
  const facts = await readFacts(await open(login));
  return new MysqlDatabase(placeOf(definition, { facts, host, open }), login);
}

type Open = (login: Login) => Promise<Session>;

/** The driver caches objects made from a login's encryption settings, so these are created once. */
function opener(definition: DatabaseDefinition, ssl: SslOptions | undefined): Open {
  const address = addressOf(definition);
  const known = new Map<string, ConnectionOptions>();
  return (login) => {
    const key = JSON.stringify([login.dbuser, login.dbpass]);
    const options = known.get(key) ?? connectionOptions(definition, login, ssl);
    known.set(key, options);
    return Session.open(options, address);
  };
}

async function readFacts(session: Session): Promise<Facts> {
  try {
    const answer = await session.run(FACTS, []);
    const [version = "", step = 1, database = ""] = "rows" in answer ? answer.rows[0] ?? [] : [];
    const server = readServer(String(version));
    const complaint = complaintAbout(server, String(version));
    if (complaint !== undefined) throw new Error(complaint);
    return { server, identityStep: Number(step), database: String(database) };
  } finally {
    await session.end();
  }
}

function placeOf(
  definition: DatabaseDefinition,
  { facts, host, open }: { readonly facts: Facts; readonly host: DialectHost; readonly open: Open },
): Place {
  const { server, identityStep, database } = facts;
  const { pool: settings, dbSchema } = definition;
  const settingsText = sessionSettings(server, settings);
  return {
    server,
    settings,
    identityStep,
    schemas: dbSchema.length > 0 ? dbSchema : [database],
    log: host.log,
    echo: host.echo,
    open: (login) => ready(open(login), settingsText),
  };
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
