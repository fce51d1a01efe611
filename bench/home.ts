/**
 * A home directory for the service under test: the demo database, readable by `public`, writable by a user with an API key.
 *
 * @module
 */

// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { readDemo } from "@/config/sample.ts";
import { API_KEY } from "./scenarios.ts";

const CONFIG = {
  "service.ini": "[service]\n",
  "auth.cfg": "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n",
  "querydefs.cfg": "{}\n",
  "users.cfg": `admin: {}
public:
  databases: {Demo: {access: {"*": [read]}}}
bench:
  apikey: ${API_KEY}
  databases: {Demo: {}}
`,
};

/** A temporary directory that is removed when the scope ends. */
export class Home implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "rowhouse-bench-" });
  readonly database = `${this.directory}/demo.db`;

  constructor() {
    const config = `${this.directory}/config`;
    Deno.mkdirSync(config);
    const databases = {
      ...CONFIG,
      "databases.cfg": `Demo:\n  db_type: sqlite\n  db_name: ${this.database}\n`,
    };
    for (const [name, text] of Object.entries(databases)) Deno.writeTextFileSync(`${config}/${name}`, text);
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
