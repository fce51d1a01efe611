/** @module Values that a column would round or cut off are refused, whatever its type does by itself. */

import assert from "node:assert/strict";
import { LEFT_OUT, openEngines } from "./engines.ts";

const FLOATS = "CREATE TABLE level (id integer PRIMARY KEY, height double precision)";
const BELOW = "INSERT INTO level VALUES (1, -0e0), (2, 0), (3, -1e-300)";

Deno.test(`a float of -0 is 0 in every format and filter, on every engine${LEFT_OUT}`, async () => {
  await using engines = await openEngines({
    sqlite: [FLOATS, BELOW],
    postgresql: [FLOATS, BELOW.replace("-0e0", "'-0'")],
    mysql: [FLOATS, BELOW],
  });
  for (const dialect of engines.dialects) {
    const path = `/db/${dialect}/level`;
    await engines.send(
      201,
      "POST",
      `${path}.json`,
      '[{"id": 4, "height": -0.0}, {"id": 5, "height": "-0e3"}]',
    );
    await engines.send(201, "POST", `${path}.csv`, "id,height\r\n6,-0\r\n", "text/csv");
    assert.equal(await engines.send(200, "GET", `${path}/height.csv?distinct`), "height\r\n-1e-300\r\n0\r\n");
    for (const extension of ["json", "xml", "txt", "html?limit=9"]) {
      assert.doesNotMatch(await engines.send(200, "GET", `${path}.${extension}`), /-0\b/, extension);
    }
    for (const zero of ["0", "-0", "-0.0", "0..", "-0e0..0"]) {
      const found = JSON.parse(await engines.send(200, "GET", `${path}/height/${zero}/id.json`));
      assert.deepEqual(found, [1, 2, 4, 5, 6], zero);
    }
  }
});

const POSTGRESQL = [
  "CREATE TABLE price (id int PRIMARY KEY, amount money, opens timetz(1), label name, pause interval(0), rest interval)",
];
const MYSQL = ["CREATE TABLE price (id int PRIMARY KEY, amount double(10,2), small float(7,3))"];

Deno.test(`a value with more digits or bytes than MONEY, TIMETZ(1), INTERVAL, NAME or DOUBLE(10,2) keeps is refused${LEFT_OUT}`, async () => {
  await using engines = await openEngines({ postgresql: POSTGRESQL, mysql: MYSQL });
  for (const dialect of engines.dialects) {
    const path = `/db/${dialect}/price`;
    await engines.send(201, "POST", `${path}.json`, '{"id": 1, "amount": 1234.5}');
    await engines.send(201, "POST", `${path}.json`, '{"id": 2, "amount": "-0.070"}');
    assert.match(
      await engines.send(400, "POST", `${path}.json`, '{"id": 3, "amount": 1.239}'),
      /error at node '\/0\/amount': 1\.239 has more/,
    );
    await engines.send(400, "PUT", `${path}/id/1.json`, '{"amount": 1e-3}');
    assert.deepEqual(JSON.parse(await engines.send(200, "GET", `${path}/amount.json`)), [1234.5, -0.07]);
  }
  if (engines.dialects.includes("postgresql")) {
    const path = "/db/postgresql/price/id/1";
    await engines.send(400, "PUT", `${path}.json`, '{"opens": "10:00:00.67+02:00"}');
    await engines.send(400, "PUT", `${path}.json`, '{"opens": "10:00:00.67Z"}');
    await engines.send(204, "PUT", `${path}.json`, '{"opens": "10:00:00.50+02:00"}');
    assert.equal(await engines.send(200, "GET", `${path}/opens.json`), '"10:00:00.5+02:00"');
    for (const refused of [{ pause: "1 day 00:00:01.7" }, { rest: "-00:00:01.1234567" }]) {
      await engines.send(400, "PUT", `${path}.json`, JSON.stringify(refused));
    }
    await engines.send(
      204,
      "PUT",
      `${path}.json`,
      '{"pause": "1.5 days 00:00:01.0", "rest": "00:00:01.123456"}',
    );
    assert.equal(await engines.send(200, "GET", `${path}/pause.json`), '"1 day 12:00:01"');
    const label = "\u00e9".repeat(31);
    await engines.send(204, "PUT", `${path}.json`, JSON.stringify({ label }));
    const refusal = await engines.send(400, "PUT", `${path}.json`, JSON.stringify({ label: `${label}ab` }));
    assert.match(refusal, /it has more bytes than a column of type name keeps \(63\)/);
    assert.equal(await engines.send(200, "GET", `${path}/label.json`), JSON.stringify(label));
  }
  if (!engines.dialects.includes("mysql")) return;
  await engines.send(400, "POST", "/db/mysql/price.json", '{"id": 4, "small": 0.1234}');
  await engines.send(201, "POST", "/db/mysql/price.json", '{"id": 4, "small": 9999.123}');
  const shown = await engines.send(200, "GET", "/db/mysql/price/id/4.json");
  await engines.send(204, "PUT", "/db/mysql/price/id/4.json", shown);
  assert.equal(await engines.send(200, "GET", "/db/mysql/price/id/4/small.json"), "9999.123");
});

/** Types of PostgreSQL, with a text that they keep and others that they would change. */
const CHANGED: readonly (readonly [type: string, kept: string, ...changed: string[]])[] = [
  ["interval(0)", "1.5 days 00:00:01.0", "PT1.7S", "1.7 secs", "00:00:01.7 ago", "00:00:01.7 1 day"],
  ["interval", "PT1.123456S", "PT1.1234567S", "0.1234567 s"],
  ["timetz(1)", "10:00:00.5+02", "10:00:00.67+02"],
  ["numeric(5,2)[]", "[2:3]={1.5,NULL}", "{1.5,1.239}", "{1e-3}"],
  ["timestamp(0)[]", "{infinity,2020-01-01 10:00:00.0Z}", "{2020-01-01 10:00:00.7}", "{2020-01-01 10:00+02}"],
  ["timestamptz[]", '{"2020-01-01 10:00:00.123456+02"}', '{"2020-01-01 10:00:00.1234567+00"}'],
  ["date[]", "{2020-01-01,NULL}", "{2020-01-01T10:00:00}"],
];

Deno.test(`postgresql: an element that an array would round, and seconds that an interval would, are refused${LEFT_OUT}`, async () => {
  const columns = CHANGED.map(([type], index) => `c${index} ${type}`).join(", ");
  const create = [`CREATE TABLE odd (id int PRIMARY KEY, ${columns})`, "INSERT INTO odd (id) VALUES (1)"];
  await using engines = await openEngines({ postgresql: create });
  if (!engines.dialects.includes("postgresql")) return;
  const path = "/db/postgresql/odd/id/1.json";
  for (const [index, [type, kept, ...changed]] of CHANGED.entries()) {
    await engines.send(204, "PUT", path, JSON.stringify({ [`c${index}`]: kept }));
    for (const text of changed) {
      const refusal = await engines.send(400, "PUT", path, JSON.stringify({ [`c${index}`]: text }));
      assert.match(refusal, new RegExp(`error at node '/0/c${index}': `), type);
    }
  }
  const shown = await engines.send(200, "GET", path);
  await engines.send(204, "PUT", path, shown);
  assert.equal(await engines.send(200, "GET", path), shown);
});

Deno.test(`postgresql: a number that only the whole statement would refuse is told with its column${LEFT_OUT}`, async () => {
  const create = "CREATE TABLE odd (id int PRIMARY KEY, price money, part numeric(5,2), doc jsonb)";
  await using engines = await openEngines({ postgresql: [create] });
  if (!engines.dialects.includes("postgresql")) return;
  const refused = async (column: string, value: string) => {
    const body = `{"id": 1, "${column}": ${value}}`;
    const { errors: [error] } = JSON.parse(await engines.send(400, "POST", "/db/postgresql/odd.json", body));
    assert.match(error, new RegExp(`error at node '/0/${column}': `), value);
  };
  for (const price of ["92233720368547758.08", "-1e17", '"NaN"', '"-Infinity"']) {
    await refused("price", price);
  }
  await refused("part", '"Infinity"');
  await refused("doc", '{"a": "\\u0000"}');
  const kept = '{"id": 1, "price": -92233720368547758.08, "part": "NaN"}';
  await engines.send(201, "POST", "/db/postgresql/odd.json", kept);
  assert.match(
    await engines.send(200, "GET", "/db/postgresql/odd/id/1.json"),
    /"price": -92233720368547758.08/,
  );
});

const COUNTS = "CREATE TABLE tally (id integer PRIMARY KEY, number bigint)";

Deno.test(`a whole number keeps its digits in any spelling, and none is rounded to one${LEFT_OUT}`, async () => {
  await using engines = await openEngines({ sqlite: [COUNTS], postgresql: [COUNTS], mysql: [COUNTS] });
  for (const dialect of engines.dialects) {
    const path = `/db/${dialect}/tally`;
    const numbers = ["9007199254740993.0", "1E+18", "-900719925474099.3e1", "0.0e5"];
    for (const [id, number] of numbers.entries()) {
      await engines.send(201, "POST", `${path}.json`, `{"id": ${id}, "number": ${number}}`);
    }
    assert.equal(
      await engines.send(200, "GET", `${path}/number.csv?sort=id`),
      "number\r\n9007199254740993\r\n1000000000000000000\r\n-9007199254740993\r\n0\r\n",
    );
    for (const number of ["9007199254740990.6", "1.00000000000000000001", "1e-30", "1e19"]) {
      await engines.send(400, "POST", `${path}.json`, `{"id": 9, "number": ${number}}`);
    }
  }
});

const NUMBERS = "CREATE TABLE cost (id integer PRIMARY KEY, amount decimal(10,2), reason varchar(5))";

Deno.test(`a value of the path that a new record could not keep is refused, unless the body has its own${LEFT_OUT}`, async () => {
  await using engines = await openEngines({ sqlite: [NUMBERS], postgresql: [NUMBERS], mysql: [NUMBERS] });
  for (const dialect of engines.dialects) {
    const digits = dialect === "sqlite" ? "12345678901234.5678" : "1.239";
    const path = `/db/${dialect}/cost/amount/${digits}.json`;
    const refusal = await engines.send(400, "POST", path, '{"id": 1}');
    assert.match(refusal, /The path gives \\"amount\\" a value that it cannot keep: [\d.]+ has more d/);
    await engines.send(201, "POST", path, '{"id": 1, "amount": 2.5}');
    await engines.send(201, "POST", `/db/${dialect}/cost/amount/1.25.json`, '{"id": 2}');
    assert.deepEqual(JSON.parse(await engines.send(200, "GET", `/db/${dialect}/cost/amount.json`)), [
      2.5,
      1.25,
    ]);
    const long = await engines.send(400, "POST", `/db/${dialect}/cost/reason/repair.json`, '{"id": 3}');
    assert.match(long, /The path gives \\"reason\\" a value that it cannot keep: 'repair' is too long/);
    await engines.send(201, "POST", `/db/${dialect}/cost/reason/repair.json`, '{"id": 3, "reason": "fuel"}');
  }
});
