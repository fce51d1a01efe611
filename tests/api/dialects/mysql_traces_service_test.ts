/** @module The whole service in front of a database whose saved queries change their sessions. */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { type Place, testOnServer } from "@/tests/unit/plugins/dialects/mysql/fixture.ts";

const SETUP = `
  SET time_zone = '+00:00';
  CREATE TABLE moment (id INT PRIMARY KEY, at TIMESTAMP);
  INSERT INTO moment VALUES (1, '2024-01-01 10:00:00');
  CREATE TABLE guarded (id INT PRIMARY KEY, n INT);
  DELIMITER //
  CREATE FUNCTION attack() RETURNS INT DETERMINISTIC
    BEGIN SET SESSION time_zone = '+05:00'; SET @leak = 5; RETURN 7; END//
  CREATE FUNCTION leaked() RETURNS INT RETURN coalesce(@leak, 0)//
  CREATE TRIGGER spring BEFORE INSERT ON guarded FOR EACH ROW SET NEW.n = attack()//
  DELIMITER ;
  CREATE VIEW attacks AS SELECT attack() AS n;
  CREATE VIEW leaks AS SELECT leaked() AS n;
  CREATE VIEW connection AS SELECT connection_id() AS n;`;

/** One connection: the next request gets the one that was attacked. */
async function serve({ server, name, exec }: Place): Promise<TestService> {
  await exec(SETUP);
  const definition = { ...addressOf(server), db_name: name, pool: { max: 1 } };
  const login = { dbuser: server.user, dbpass: server.password };
  const query = (sqlstr: string) => ({ database: "D", sqlstr, execute: ["public"] });
  return await startService({
    files: {
      "config/databases.cfg": stringify({ D: definition }),
      "config/users.cfg": stringify({ public: { databases: { D: login } } }),
      "config/querydefs.cfg": stringify({
        attack: query("SELECT attack() AS n"),
        view: query("SELECT n FROM attacks"),
        write: { ...query("INSERT INTO guarded (id) VALUES (1)"), http_methods: { POST: true } },
      }),
    },
  });
}

const REQUESTS: readonly (readonly [line: string, status: number])[] = [
  ["GET /query/attack.json", 200],
  ["GET /query/attack.json?stream", 200],
  ["GET /query/view.json", 200],
  ["GET /query/view.json?count&limit=1", 200],
  ["POST /query/write.json", 200],
  ["POST /query/write.json", 409],
];

testOnServer(
  "mysql: no request notices what a saved query did to the session before",
  async (place) => {
    await using service = await serve(place);
    const get = async (path: string) => JSON.parse(await (await service.fetch(path)).text());
    const lookAround = async () => ({
      at: await get("/db/D/moment/id/1/at.json"),
      leak: await get("/db/D/leaks/n.json"),
      connection: await get("/db/D/connection/n.json"),
    });
    const before = await lookAround();
    assert.deepEqual([before.at, before.leak], ["2024-01-01T10:00:00", [0]]);
    for (const [line, status] of REQUESTS) {
      const [method = "", path = ""] = line.split(" ");
      const answer = await service.fetch(path, { method });
      assert.equal(answer.status, status, `${line}: ${await answer.text()}`);
      assert.deepEqual(await lookAround(), before, line);
    }
    assert.deepEqual(await get("/db/D/guarded.json?href=false"), [{ id: 1, n: 7 }]);
  },
);
