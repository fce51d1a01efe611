/**
 * Which server it is: MySQL and MariaDB differ in what they can do and in how they are told so.
 *
 * @module
 */

/** Read once, when the database is connected, from what the server calls its version. */
export interface Server {
  readonly flavour: "mysql" | "mariadb";
  /** Major, minor and patch. */
  readonly version: readonly [number, number, number];
}

/** Reads `10.11.6-MariaDB-0+deb12u1`, `8.4.3` and, of servers that feign a version, `5.5.5-10.6.12-MariaDB`. */
export function readServer(text: string): Server {
  const flavour = /mariadb/i.test(text) ? "mariadb" : "mysql";
  const [, major, minor, patch] = /^(?:5\.5\.5-)?(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return { flavour, version: [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)] };
}

/** The oldest releases that are supported: earlier ones lack checked JSON, or `RETURNING`, or common expressions. */
const OLDEST: { readonly [Flavour in Server["flavour"]]: Server["version"] } = {
  mysql: [8, 0, 0],
  mariadb: [10, 6, 0],
};

/** What is wrong with a server that is too old; undefined where nothing is. */
export function complaintAbout(server: Server, text: string): string | undefined {
  const oldest = OLDEST[server.flavour];
  const differing = oldest.findIndex((number, at) => server.version[at] !== number);
  if (differing < 0 || (server.version[differing] ?? 0) > (oldest[differing] ?? 0)) return undefined;
  return `The server is ${JSON.stringify(text)}: MySQL 8.0 or MariaDB 10.6 is the oldest that is supported`;
}
