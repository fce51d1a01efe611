import assert from "node:assert/strict";
import { testOnServer } from "./postgresql_fixture.ts";
import { servePlace } from "./postgresql_service.ts";
import { everyType, TYPE_CASES } from "./postgresql_type_cases.ts";

/** Machines east and west of Greenwich, where the days of the tests have clocks that are set. */
const ZONES = ["Pacific/Auckland", "America/St_Johns"];

for (const [at, zone] of ZONES.entries()) {
  testOnServer(`values of every type are read, found, sorted and written again in zone ${zone}`, async () => {
    await using served = await servePlace(`types_${at}`, everyType(), { env: { TZ: zone } });
    const { service, place } = served;
    const get = async (path: string) => {
      const response = await service.fetch(`/db/Pg/every${path}`);
      const text = await response.text();
      assert.equal(response.status, 200, `${path}: ${text}`);
      return text;
    };

    for (const { name, json, filter, unordered } of TYPE_CASES) {
      for (const row of [0, 1] as const) {
        assert.equal(await get(`/id/${row + 1}/${name}.json`), json[row], name);
      }
      const segment = filter ?? encodeURIComponent(json[0].replace(/^"(.*)"$/, "$1"));
      assert.deepEqual(JSON.parse(await get(`/${name}/${segment}/id.json`)), [1], `${name}/${segment}`);
      if (unordered) continue;
      assert.deepEqual(JSON.parse(await get(`/id.json?sort=${name}`)), [3, 1, 2], name);
      assert.deepEqual(JSON.parse(await get(`/id.json?sort=-${name}`)), [2, 1, 3], name);
    }

    for (const [format, type, key] of FORMATS) {
      for (const id of [1, 2, 3]) {
        const body = await get(`/id/${id}.${format}?csvNullStr`);
        const copy = id + 10;
        for (const [method, path] of [["POST", "/every"], ["PUT", `/every/id/${copy}`]] as const) {
          const response = await service.fetch(`/db/Pg${path}.${format}?csvNullStr`, {
            method,
            headers: { "content-type": type },
            body: body.replace(key(id), key(copy)),
          });
          const answer = await response.text();
          assert.equal(response.status, method === "POST" ? 201 : 204, `${format} ${id}: ${answer}`);
          assert.equal(await place.change(differences(id, copy)), "", `${method} ${format} ${id}`);
        }
        await place.change(`DELETE FROM every WHERE id = ${copy}`);
      }
    }
  });
}

const FORMATS = [
  ["json", "application/json", (id: number) => `"id": ${id},`],
  ["xml", "text/xml", (id: number) => `<id>${id}</id>`],
  ["csv", "text/csv", (id: number) => `\r\n${id},`],
] as const;

/** Names of columns in which two rows differ; timetz keeps the moment, not its zone. */
function differences(one: number, other: number): string {
  const union = TYPE_CASES.map(({ name }) => {
    const shown = name === "a_timetz" ? `(${name} AT TIME ZONE 'UTC')::time::text` : `${name}::text`;
    const of = (id: number) => `(SELECT ${shown} FROM every WHERE id = ${id})`;
    return `SELECT '${name}' WHERE ${of(one)} IS DISTINCT FROM ${of(other)}`;
  });
  return `${union.join(" UNION ALL ")};`;
}
