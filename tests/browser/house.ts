/**
 * The service whose pages browsers look at: four people, the demo, and a database with odd data.
 *
 * @module
 */

import { BUILT_IN_ROOT } from "@/plugins/discover.ts";
import { homeOf, PASSWORD, sessionOf } from "@/tests/api/login/home.ts";
import type { StartOptions, TestService } from "@/tests/support/service.ts";
import type { Page } from "@/tests/support/browser/chromium.ts";

/** The people, by their login; `public` does not log in. */
export const PEOPLE = ["public", "reader", "editor", "admin"] as const;

/** One of them. */
export type Person = (typeof PEOPLE)[number];

/** A database that is gone, whose long name the pages of its users still have. */
const LEDGER = "LedgerOfAllSailingsAndBookingsOfTheCompanyAndItsSubsidiaries";

const USERS =
  `public: {name: Anonymous, databases: {Demo: {access: {"*": [read]}}, Odd: {access: {"*": [read]}}}}
admin: {name: Administrator, password: ${PASSWORD}-admin, databases: {Demo: {}, Odd: {}}}
reader: {name: A reader, password: ${PASSWORD}-reader, databases: {Demo: {access: {"*": [read], Employee: []}}, ${LEDGER}: {}}}
editor: {name: An editor, password: ${PASSWORD}-editor, databases: {Demo: {}, Odd: {}}}
`;

const DATABASES = `Demo: {db_type: sqlite, db_name: ../state/demo.db, desc: Demo database, execute: [public]}
Odd: {db_type: sqlite, db_name: ../state/odd.db, desc: "Odd <data> & more"}
`;

/** Beside the query of the sample: one that GET does not run. */
const QUERIES = `
cheap-fares:
  database: Demo
  desc: Fares up to a price for each mile
  sqlstr: SELECT FareCode, Name, PerMile FROM Fare WHERE PerMile <= :most
  parameters: { most: decimal }
  http_methods: { POST: true }
  execute: [public]
`;

/** The home of the service. */
export function houseOptions(): StartOptions {
  const home = homeOf({ users: USERS });
  return {
    ...home,
    files: {
      ...home.files,
      "config/databases.cfg": DATABASES,
      "config/querydefs.cfg": Deno.readTextFileSync(`${BUILT_IN_ROOT}/config/sample/querydefs.cfg`) + QUERIES,
    },
    sqlite: { Odd: `${Deno.readTextFileSync(new URL("odd.sql", import.meta.url))};${wideTable()}` },
  };
}

/** A table of 200 columns; one has numbers of many digits. */
function wideTable(): string {
  const columns = Array.from({ length: 200 }, (_, index) => `C${index} ${index === 1 ? "REAL" : "TEXT"}`)
    .join(", ");
  const values = Array.from({ length: 200 }, (_, index) => index === 1 ? "1 / 3.0" : `'value ${index}'`).join(
    ", ",
  );
  const rows = Array.from({ length: 30 }, (_, index) => `(${index + 1}, ${values})`).join();
  return `CREATE TABLE Wide (Id INTEGER PRIMARY KEY, ${columns}); INSERT INTO Wide VALUES ${rows};`;
}

/** The value of the session's cookie of a person; undefined for `public`. */
export async function ticketOf(person: Person, service: TestService): Promise<string | undefined> {
  if (person === "public") return undefined;
  return (await sessionOf(service, person, `${PASSWORD}-${person}`)).replace(/^auth_tkt=/, "");
}

/** Gives a page the session of a person. */
export async function signIn(page: Page, person: Person, service: TestService): Promise<void> {
  const value = await ticketOf(person, service);
  if (value !== undefined) {
    await page.browserContext().setCookie({ name: "auth_tkt", value, domain: "127.0.0.1", path: "/" });
  }
}
