/** @module Values that a column would round or cut off are refused, whatever its type does by itself. */

import assert from "node:assert/strict";
import { LEFT_OUT, openEngines } from "./engines.ts";

const POSTGRESQL = ["CREATE TABLE price (id int PRIMARY KEY, amount money, opens timetz(1), label name)"];
const MYSQL = ["CREATE TABLE price (id int PRIMARY KEY, amount double(10,2), small float(7,3))"];

Deno.test(`a value with more digits or bytes than MONEY, TIMETZ(1), NAME or DOUBLE(10,2) keeps is refused${LEFT_OUT}`, async () => {
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
