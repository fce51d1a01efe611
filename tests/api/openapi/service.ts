/**
 * A service whose databases and users try an OpenAPI document in every way.
 *
 * @module
 */

import { startService, type TestService } from "@/tests/support/service.ts";

const DATABASES = `
Demo: {db_type: sqlite, desc: Demo database, db_name: "\${ROWHOUSE_STATE}/demo.db"}
Awk@ward~1: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/awkward.db"}
Limited: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/demo.db", limit: 3}
Offline: {db_type: sqlite, db_name: "\${ROWHOUSE_STATE}/nowhere.db"}
Vault: {db_type: sqlite, desc: Nobody's business, db_name: "\${ROWHOUSE_STATE}/demo.db"}
`;

const QUERIES = `
bookings-by-year:
  database: Demo
  sqlstr: SELECT BookingId, BookedAt FROM Booking WHERE strftime('%Y', BookedAt) = :year
  execute: [public]
ports: {database: Limited, sqlstr: SELECT Name FROM Port, execute: [public]}
since:
  database: Demo
  sqlstr: SELECT BookingId FROM Booking WHERE BookedAt > :since LIMIT :most
  http_methods: {GET: true, POST: true}
  parameters: {since: datetime, most: integer}
  execute: [editor]
touch:
  database: Limited
  sqlstr: UPDATE Port SET Name = Name WHERE PortId = 0
  http_methods: {GET: true, POST: true}
  read_only: false
  execute: [editor]
`;

/** API keys by login. */
export const KEYS = {
  editor: "editor-0123456789-0123456789-0123456789",
  clerk: "clerk-0123456789-0123456789-0123456789",
  idler: "idler-0123456789-0123456789-0123456789",
} as const;

const PUBLIC = `
public:
  databases:
    Demo: { access: { "*": [read] } }
`;

const USERS = `
editor:
  apikey: ${KEYS.editor}
  databases: { Demo: {}, Awk@ward~1: {}, Limited: {}, Offline: {} }
clerk:
  apikey: ${KEYS.clerk}
  databases:
    Demo:
      dbuser: secret-dbuser
      dbpass: secret-dbpass
      access:
        Port: [read, update]
        Vessel: [read, create, delete]
        Booking: [create]
        Country: [read]
idler:
  apikey: ${KEYS.idler}
  password: secret-password
`;

/** Names that are difficult in paths, components, templates and clients. */
const AWKWARD = [
  `CREATE TABLE "a b/c.json" ("{id}" INTEGER NOT NULL PRIMARY KEY, "__proto__" TEXT, "constructor" TEXT, "<x>" REAL)`,
  `CREATE TABLE "a_b_c.json" ("id" INTEGER NOT NULL PRIMARY KEY)`,
  `CREATE TABLE "__proto__" ("__proto__" VARCHAR(3) NOT NULL PRIMARY KEY, "toString" INTEGER)`,
  `CREATE TABLE "表" ("é" DATE NOT NULL PRIMARY KEY)`,
  `CREATE TABLE "裏" ("e" DECIMAL(6,2) NOT NULL PRIMARY KEY)`,
  `CREATE TABLE "~1{x}?#%" ("a b" INTEGER NOT NULL, "a_b" VARCHAR(9) NOT NULL, "$ref" TEXT,
     "owner" INTEGER REFERENCES "a b/c.json" ("{id}"), PRIMARY KEY ("a b", "a_b"))`,
  `CREATE TABLE "new" ("values" BLOB NOT NULL PRIMARY KEY, "say ""hi""" TEXT, "line${"\n"}break" TEXT)`,
  `CREATE TABLE "nokey" ("a" TEXT, "b", "c" BOOLEAN, "d" DATETIME, "e" TIME)`,
  `CREATE VIEW "view.xml" AS SELECT "a", "c", "d", "e" FROM "nokey"`,
  `INSERT INTO "a b/c.json" VALUES (1, 'p', 'c', 1.5), (2, NULL, NULL, NULL)`,
  `INSERT INTO "a_b_c.json" VALUES (7)`,
  `INSERT INTO "__proto__" VALUES ('a/b', 1)`,
  `INSERT INTO "表" VALUES ('2024-02-29')`,
  `INSERT INTO "裏" VALUES (9.75)`,
  `INSERT INTO "~1{x}?#%" VALUES (-1, 'x,y', 'r', 1), (2, '..', 'r', NULL)`,
  `INSERT INTO "new" VALUES (x'00ff', 'hi', 'b')`,
  `INSERT INTO "nokey" VALUES ('a', 5, 1, '2024-02-29 13:45:00', '13:45:00'), (NULL, NULL, NULL, NULL, NULL)`,
];

/** How the service differs from one that `public` may use. */
export interface OpenApiServiceOptions {
  /** Without user `public`. */
  readonly closed?: boolean;
  /** Lines of service.ini, as one text. */
  readonly settings?: string;
  readonly args?: readonly string[];
  /** The text of auth.cfg. */
  readonly auth?: string;
}

/** Starts a service with the demo database and one of awkward names and types. */
export async function startOpenApiService(
  { closed = false, settings = "", args = [], auth }: OpenApiServiceOptions = {},
): Promise<TestService> {
  return await startService({
    files: {
      "config/databases.cfg": DATABASES,
      "config/querydefs.cfg": QUERIES,
      "config/users.cfg": closed ? USERS : PUBLIC + USERS,
      "config/service.ini": `[service]\n${settings}`,
      ...(auth === undefined ? {} : { "config/auth.cfg": auth }),
    },
    sqlite: { Awkward: AWKWARD.join(";\n") },
    args,
  });
}
