/**
 * @module A change of one record is one statement without a transaction around it, where a trigger cannot
 * make a difference.
 */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { testOn } from "@/tests/support/databases/mod.ts";
import { startRelay } from "@/tests/support/relay.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { startService } from "@/tests/support/service.ts";

const TABLES =
  "CREATE TABLE guest (id integer PRIMARY KEY, name varchar(40)); INSERT INTO guest VALUES (1, 'Ann');";

/** What clients call the beginning and the end of a transaction. */
const BOUNDS = /\b(?:BEGIN|START TRANSACTION|COMMIT|ROLLBACK)\b/g;

for (const dialect of ["postgresql", "mysql"] as const) {
  testOn(dialect, "PUT and DELETE of a record begin no transaction", async () => {
    const server = await useServer(dialect);
    const database = await server.createDatabase(`one_${crypto.randomUUID().slice(0, 8)}`);
    try {
      await server.exec(TABLES, database);
      let heard = "";
      await using relay = await startRelay(
        { hostname: server.host, port: server.port },
        () => (bytes) => heard += new TextDecoder("latin1").decode(bytes),
      );
      await using service = await startService({
        files: {
          "config/databases.cfg": stringify({
            Party: { ...addressOf(server), db_name: database, db_port: relay.port, ssl: null },
          }),
          "config/users.cfg": stringify({
            public: { databases: { Party: { dbuser: server.user, dbpass: server.password } } },
          }),
        },
      });
      const ask = async (method: string, name: string, body?: string) => {
        const headers = { "Content-Type": "application/json" };
        const answer = await service.fetch(`/db/Party/guest${name}.json`, {
          method,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        return [answer.status, await answer.text()] as const;
      };
      heard = "";
      assert.deepEqual(await ask("PUT", "/id/1", '{"name": "Eve"}'), [204, ""]);
      assert.deepEqual(await ask("GET", "/id/1/name"), [200, '"Eve"']);
      assert.deepEqual(await ask("DELETE", "/id/1"), [204, ""]);
      assert.deepEqual(await ask("GET", ""), [200, "[]"]);
      assert.deepEqual(heard.match(BOUNDS), null);
      assert.match(heard, /UPDATE.*DELETE/is);
      for (const method of ["PUT", "DELETE"]) {
        const [status] = await ask(method, "/id/1", method === "PUT" ? '{"name": "Eve"}' : undefined);
        assert.equal(status, 404);
      }
    } finally {
      await server.dropDatabase(database);
    }
  });
}
