import assert from "node:assert/strict";
import { RawConnection } from "@/tests/support/raw_request.ts";
import { testOnEveryEngine } from "./service.ts";

/** Texts that would change the meaning of a statement if they were part of one. */
const ATTACKS = [
  "'",
  '"',
  "`",
  "]",
  "' OR '1'='1",
  '" OR "1"="1',
  "1 OR 1=1",
  "1; DROP TABLE Vessel",
  "'; DROP TABLE Vessel; --",
  '"; DROP TABLE "Vessel"; --',
  "') UNION SELECT sql, 1 FROM sqlite_master --",
  '" UNION SELECT sql FROM sqlite_master --',
  'Name" DESC; DELETE FROM Vessel; --',
  "1) FROM Vessel; ATTACH 'x.db' AS x; --",
  "(SELECT Secret FROM Person)",
  "Name/**/FROM/**/sqlite_master",
  "Name--",
  "%' ESCAPE '",
  "!",
  "\\",
  "\\'",
  "?",
  "?1",
  ":Name",
  "@Name",
  "$Name",
  "\0",
  "a\0'; DROP TABLE Vessel; --",
  "rowid",
  "_rowid_",
  "sqlite_master",
  "sqlite_schema",
  "main.Vessel",
  "pragma_table_info('Vessel')",
  "load_extension('x')",
  "Name COLLATE NOCASE",
  "CASE WHEN 1 THEN Name END",
  "1e1; --",
  "x'00'",
  "'; SELECT pg_sleep(60); --",
  "1 OR sleep(60)",
  "'; WAITFOR DELAY '0:01'; --",
  "\\' OR 1=1; --",
  "$$ OR 1=1",
  "E'\\x27'",
  "/*!50000 OR 1=1 */",
  "1 AND 1=CONVERT(int, @@version)",
  "version()",
  "pg_catalog.pg_authid",
  "information_schema.tables",
  "sys.objects",
  "public.Vessel",
  "LOAD_FILE('/etc/passwd')",
  "'; EXEC xp_cmdshell 'id'; --",
  "'; COPY Vessel TO PROGRAM 'id'; --",
  "ctid",
  "xmin",
  "@p1",
  "$1",
];

/** Secrets of the fixture and words of the engines. */
const LEAKS =
  /CREATE TABLE|pw1|SqliteError|SQLITE_[A-Z]|syntax error|PostgresError|ER_[A-Z]|SQL syntax|RequestError|root:x:/;

/** `#` is the attack, percent-encoded. */
const POSITIONS = [
  "/#.json",
  "/db/#.json",
  "/db/Demo/#.json",
  "/db/Demo/#/VesselId/1.json",
  "/db/Demo/Vessel/#.json",
  "/db/Demo/Vessel/#/1.json",
  "/db/Demo/Vessel/~#/1.json",
  "/db/Demo/Vessel/Name/#.json",
  "/db/Demo/Vessel/~Name/#.json",
  "/db/Demo/Vessel/VesselId/#.json",
  "/db/Demo/Vessel/Name/a,#.json",
  "/db/Demo/Vessel/Name/#..json",
  "/db/Demo/Vessel/Name/..#.json",
  "/db/Demo/Vessel/Name/#*.json",
  "/db/Demo/Vessel/Name/*#*,#.json",
  "/db/Demo/Vessel/LaunchedOn/#.json",
  "/db/Demo/Vessel/InService/#.json",
  "/db/Demo/Vessel/Pennant/#.json",
  "/db/Demo/Sailing/Departure/#...json",
  "/db/Types/Number/Anything/#.json",
  "/db/Demo/Vessel/VesselId/1/#.json",
  "/db/Demo/Vessel/VesselId/1/Name,#.json",
  "/db/Demo/Vessel/VesselId/1/Port/#/1.json",
  "/db/Demo/Vessel/Name.json?sort=#",
  "/db/Demo/Vessel/Name.json?sort=-#",
  "/db/Demo/Vessel/Name.json?sort=Name,#",
  "/db/Demo/Vessel/Name.json?distinct&sort=#",
  "/db/Demo/Vessel/Name.json?limit=#",
  "/db/Demo/Vessel/Name.json?offset=#",
  "/db/Demo/Vessel/Name.json?depth=#",
  "/db/Demo/Vessel/Name.json?distinct=#",
  "/db/Demo/Vessel/Name.json?#=1",
  "/db/Demo/Vessel/Name.json?#",
  "/db/Demo/Vessel/Name/a.json?nullStr=#",
  "/db/Demo/Vessel/Name/#.csv?csvNullStr&nullStr=#",
  "/db/Demo/Vessel/Name/a#b.json?separator=#",
  "/db/Demo/Vessel/Name/#a#.json?wildcard=#",
  "/db/Demo/Vessel/Name/a#b.json?placeholder=#",
  "/db/Demo/Vessel/Name.json?apikey=#",
  "/db/Demo/Vessel/Name.#",
];

testOnEveryEngine("SQL in any position is a name or value that is not there", async (service) => {
  const before = await service.snapshot();
  using connection = await RawConnection.open(service.port);
  for (const position of POSITIONS) {
    for (const attack of ATTACKS) {
      const target = position.replaceAll("#", encode(attack));
      const { status, text } = await connection.send({ target });
      assert.ok(status < 500, `${status} for ${target}`);
      assert.doesNotMatch(text, LEAKS, target);
    }
  }
  assert.deepEqual(await service.snapshot(), before);
  const rows = await service.fetch("/db/Demo/Vessel/Name.json?count&limit=1");
  assert.equal(rows.headers.get("Rowhouse-All-Record-Count"), "13");
  await rows.body?.cancel();
});

testOnEveryEngine("SQL in a filter finds no more than the value itself would", async (service) => {
  using connection = await RawConnection.open(service.port);
  for (const attack of ATTACKS) {
    const { status, text } = await connection.send({
      target: `/db/Demo/Vessel/Name/${encode(attack)}/Name.json`,
    });
    if (attack.includes("\0")) assert.equal(status, 400, text);
    else assert.deepEqual([status, text], [200, "[]"], attack);
  }
});

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
