/**
 * A service with users of every kind of right, for tests of the configuration resources.
 *
 * @module
 */

import type { StartOptions, TestService } from "@/tests/support/service.ts";

/** The API key of a user: `key("ann")`. */
export const key = (login: string): string => `${login}-`.padEnd(32, "0");

/** Secrets in the configuration that must never be shown. */
export const SECRETS = {
  plain: "planted-plain-password",
  dbpass: "planted-database-password",
  autoload: "planted-catalog-password",
  ssl: "planted-ssl-key",
  environment: "planted-environment-password",
} as const;

const user = (login: string, members: readonly string[]) =>
  [`${login}:`, `  apikey: ${key(login)}`, ...members.map((member) => `  ${member}`), ""].join("\n");

/** The text of users.cfg; each login names the purpose of its user. */
export const USERS = [
  "public:\n  name: Anonymous\n  databases:\n    Demo:\n      access: {'*': [read]}\n  edit: [public]\n",
  user("admin", ["name: Administrator"]),
  "# Who looks after people.",
  user("personnel", [
    "userdef: [create, view]",
    "databases:",
    "  Demo: {access: {'*': [read], Customer: [read, update]}}",
  ]),
  user("architect", ["dbdef: [create, view]", "querydef: [create]", "databases:", "  Demo: {}"]),
  user("reader", [
    "name: Reader # a comment",
    "email: reader@example.com",
    `password: ${SECRETS.plain}`,
    "databases:",
    "  Demo:",
    "    dbuser: demo",
    `    dbpass: ${SECRETS.dbpass}`,
    "    access: {Customer: [read]}",
    "view: [friend]",
    "edit: [boss]",
  ]),
  user("friend", []),
  user("boss", ["databases:", "  Demo: {access: {Customer: [read]}}"]),
].join("\n");

const DATABASES = `# The databases
Demo:
  db_type: sqlite # a file
  desc: Demo database
  db_name: \${ROWHOUSE_STATE}/demo.db
  read: [reader]
  execute: [boss]
Away:
  db_type: sqlite
  db_name: \${ROWHOUSE_STATE}/away.db
  autoconnect: false
  autoload_user:
    dbuser: catalog
    dbpass: ${SECRETS.autoload}
  ssl: {verify: false, server_name: db.example, key: ${SECRETS.ssl}}
  write: [architect]
Later:
  db_type: sqlite
  db_name: \${ROWHOUSE_STATE}/demo.db
  autoload_user: {dbuser: catalog, dbpass: "\${PLANTED}"}
`;

const QUERIES = `# Saved queries
by-country:
  database: Demo
  desc: Customers of a country
  sqlstr: "SELECT * FROM Customer WHERE CountryCode = :country AND Note <> ':none' -- :no"
  parameters: {country: text}
  http_methods: {PUT: true, GET: true}
  read_only: true
  read: [reader]
  write: [boss]
  execute: [public]
`;

/** The service with these people, after its first run. */
export const START: StartOptions = {
  files: {
    "config/users.cfg": USERS,
    "config/databases.cfg": DATABASES,
    "config/querydefs.cfg": QUERIES,
    "config/service.ini": "[service]\nlogin_throttle.burst = 100000\n",
  },
  isAdministered: true,
  env: { PLANTED: SECRETS.environment },
};

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request as a user: `send(service, "admin", "PUT /userdef/ann.json", {name: "Ann"})`. */
export async function send(
  service: TestService,
  login: string,
  line: string,
  body?: unknown,
): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = new Headers(login === "public" ? {} : { apikey: key(login) });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const sent = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const answer = await service.fetch(path, { method, headers, body: sent });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
