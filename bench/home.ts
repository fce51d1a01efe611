/**
 * Home directories for the service under test: the demo database, readable by `public`, writable by a
 * user with an API key and a password.
 *
 * @module
 */

// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { readDemo } from "@/config/sample.ts";
import { API_KEY } from "./scenarios.ts";

/** The password of the user `bench`. */
export const PASSWORD = "ferries cross the fjord at dawn";

/** The members of the database in databases.cfg, and those of a user's login for it. */
export interface Place {
  readonly database: string;
  readonly login: string;
  /** The name of the table of tickets and its columns in SQL: engines differ in quotes. */
  readonly quote: string;
}

/** Writes the configuration. */
export function writeConfiguration(directory: string, { database, login, quote }: Place): void {
  const whole = login === "" ? "{}" : `{${login}}`;
  const reading = login === "" ? "" : `${login}, `;
  const files = {
    "service.ini": "[service]\n",
    "auth.cfg": "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n" +
      "  basic: {enabled: true, priority: 2}\n  login_form: {enabled: true, priority: 3}\n",
    "querydefs.cfg":
      `tickets:\n  database: Demo\n  sqlstr: SELECT * FROM ${quote}Ticket${quote} WHERE ${quote}FareCode${quote} = :fare\n` +
      "  parameters: {fare: text}\n  execute: [public]\n",
    "users.cfg": `admin: {}\npublic:\n  databases: {Demo: {${reading}access: {"*": [read]}}}\n` +
      `bench:\n  apikey: ${API_KEY}\n  password: ${PASSWORD}\n  databases: {Demo: ${whole}}\n`,
    "databases.cfg": `Demo:\n${database}`,
  };
  Deno.mkdirSync(`${directory}/config`);
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory}/config/${name}`, text);
  }
}

/** A temporary directory that is removed when the scope ends. */
export class Home implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "rowhouse-bench-" });
  readonly database = `${this.directory}/demo.db`;

  constructor() {
    writeConfiguration(this.directory, {
      database: `  db_type: sqlite\n  db_name: ${this.database}\n`,
      login: "",
      quote: "",
    });
    this.#createDatabase();
  }

  #createDatabase(): void {
    const sqlite = new Sqlite(this.database);
    sqlite.pragma("journal_mode = WAL");
    sqlite.exec("BEGIN");
    sqlite.exec(readDemo());
    sqlite.exec("COMMIT");
    sqlite.close();
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}
