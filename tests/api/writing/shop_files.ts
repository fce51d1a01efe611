/**
 * The configuration of the shop, and the statements of its database.
 *
 * @module
 */

import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";

/** Where the sequences and the shop's SQL are. */
export const FOLDER = join(ROOT, "tests", "api", "writing");

/** The text of databases.cfg. */
export const DATABASES = `
Shop:
  db_type: sqlite
  db_name: \${ROWHOUSE_STATE}/shop.db
  alternate_key: {Catalogue: [ItemId]}
  excluded_columns: {Maker: [Secret]}
  excluded_tables: [Change]
  pool: {max: 4, idle_timeout: 30, acquire_timeout: 2, statement_timeout: 30}
`;
/** The text of users.cfg: `public` may do everything, `clerk` some things, `stranger` nothing. */
export const USERS = `
public: {databases: {Shop: {}}}
clerk:
  apikey: clerk-0123456789-0123456789-0123456789
  databases:
    Shop:
      access:
        "*": [read]
        Item: [read, create, update]
        Part: [read, delete]
        Tag: [create]
        Shelf: []
        Node: [update, delete]
stranger:
  apikey: stranger-0123456789-0123456789-0123456789
`;

/** Every statement of the fixture, in its order. */
export const STATEMENTS = Deno.readTextFileSync(join(FOLDER, "shop.sql"))
  .replaceAll(/--.*$/gm, "").split(/;$/m).map((sql) => sql.trim()).filter((sql) => sql !== "");
