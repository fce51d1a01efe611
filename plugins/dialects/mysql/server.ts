/**
 * The kind of server: MySQL and MariaDB differ in features and in syntax.
 *
 * @module
 */

import type { Log, Login, PoolSettings } from "@/plugins/contract.ts";
import type { Session } from "./session.ts";

/** Parsed from the server's version when the database is connected. */
export interface Server {
  readonly flavour: "mysql" | "mariadb";
  /** Major, minor and patch. */
  readonly version: readonly [number, number, number];
}

/** Reads `10.11.6-MariaDB-0+deb12u1`, `8.4.3` and, from servers with a compatibility prefix, `5.5.5-10.6.12-MariaDB`. */
export function readServer(text: string): Server {
  const flavour = /mariadb/i.test(text) ? "mariadb" : "mysql";
  const [, major, minor, patch] = /^(?:5\.5\.5-)?(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return { flavour, version: [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)] };
}

/** The oldest supported releases: earlier ones lack checked JSON, `RETURNING` or common table expressions. */
const OLDEST: { readonly [Flavour in Server["flavour"]]: Server["version"] } = {
  mysql: [8, 0, 0],
  mariadb: [10, 6, 0],
};

/** The complaint about a server that is too old; undefined if it is supported. */
export function complaintAbout(server: Server, text: string): string | undefined {
  const oldest = OLDEST[server.flavour];
  const differing = oldest.findIndex((number, at) => server.version[at] !== number);
  if (differing < 0 || (server.version[differing] ?? 0) > (oldest[differing] ?? 0)) return undefined;
  return `The server is ${JSON.stringify(text)}: MySQL 8.0 or MariaDB 10.6 is the oldest that is supported`;
}

/** Read with the first connection, and valid until the database is connected again. */
export interface Place {
  readonly server: Server;
  readonly settings: PoolSettings;
  /** The served databases; tables of the first one have plain names. */
  readonly schemas: readonly string[];
  /** The step between counted keys. */
  readonly identityStep: number;
  readonly log: Log;
  readonly echo: boolean;
  /** Opens a connection that is ready for statements; fails as `login` or `unavailable`. */
  open(login: Login): Promise<Session>;
}
