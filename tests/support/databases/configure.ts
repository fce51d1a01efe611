/**
 * Configuration files for SQLite, made to fit databases on a server.
 *
 * @module
 */

import { parse, stringify } from "yaml";
import type { TestServer } from "@/tests/support/servers/mod.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * databases.cfg with every SQLite database on the server: `files` has the database's name for the name of a
 * file, without folder and ending. Where it has none, the database is not there either.
 */
export function onServer(text: string, server: TestServer, files: Readonly<Record<string, string>>): string {
  const definitions = parse(text) as Readonly<Record<string, Members>>;
  const moved = Object.entries(definitions).map(([id, definition]) => {
    const file = /([^/]+)\.db$/.exec(String(definition["db_name"]))?.[1] ?? "";
    return [id, { ...definition, ...addressOf(server), db_name: files[file] ?? "rowhouse_not_there" }];
  });
  return stringify(Object.fromEntries(moved));
}

/** users.cfg with the server's login in every mapping to a database. */
export function withLogins(text: string, { user, password }: TestServer): string {
  const users = parse(text) as Readonly<Record<string, Members>>;
  const logins = Object.entries(users).map(([login, members]) => {
    const mappings = Object.entries((members?.["databases"] ?? {}) as Readonly<Record<string, Members>>);
    const mapped = mappings.map(([id, mapping]) => [id, { dbuser: user, dbpass: password, ...mapping }]);
    return [login, mapped.length > 0 ? { ...members, databases: Object.fromEntries(mapped) } : members];
  });
  return stringify(Object.fromEntries(logins));
}

/** The members of a definition that say where its database is. */
export function addressOf({ dialect, host, port, user, password }: TestServer): Members {
  return {
    db_type: dialect,
    db_host: host,
    db_port: port,
    autoload_user: { dbuser: user, dbpass: password },
  };
}
