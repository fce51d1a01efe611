import assert from "node:assert/strict";
import { Client, SERVER } from "./mssql_fixture.ts";
import { servePlace, testOnServer } from "./mssql_service.ts";
import { everyType, type TypeCase, typeCases } from "./mssql_type_cases.ts";

/** Machines east and west of Greenwich, where the days of the tests have clocks that are set. */
const ZONES = ["Pacific/Auckland", "America/St_Johns"];

const CASES = typeCases(SERVER ? await decimalsOf(SERVER) : 7);

/** SQL Server keeps seven decimals of a second, Babelfish six. */
async function decimalsOf(server: URL): Promise<number> {
  await using client = await Client.open(server);
  const [row] = await client.run(
    "select convert(varchar(30), cast('2024-01-01T00:00:00.1111111' as datetime2(7)), 121)",
  );
  return /1111111$/.test(String(row?.[0])) ? 7 : 6;
}

for (const zone of ZONES) {
  testOnServer(
    SERVER,
    `values of every type are read, found, sorted and written again in zone ${zone}`,
    async (server) => {
      await using served = await servePlace(server, everyType(CASES), { env: { TZ: zone } });
      const { service, place } = served;
      const get = async (path: string) => {
        const response = await service.fetch(`/db/Sql/every${path}`);
        const text = await response.text();
        assert.equal(response.status, 200, `${path}: ${text}`);
        return text;
      };

      for (const { name, json, filter, unordered } of CASES) {
        for (const row of [0, 1] as const) {
          assert.equal(await get(`/id/${row + 1}/${name}.json`), json[row], name);
        }
        const segment = filter ?? encodeURIComponent(json[0].replace(/^"(.*)"$/, "$1"));
        assert.deepEqual(JSON.parse(await get(`/${name}/${segment}/id.json`)), [1], `${name}/${segment}`);
        if (unordered) {
          continue;
        }
        assert.deepEqual(JSON.parse(await get(`/id.json?sort=${name}`)), [3, 1, 2], name);
        assert.deepEqual(JSON.parse(await get(`/id.json?sort=-${name}`)), [2, 1, 3], name);
      }

      for (const [format, type, key] of FORMATS) {
        for (const id of [1, 2, 3]) {
          const body = await get(`/id/${id}.${format}?csvNullStr`);
          const copy = id + 10;
          for (const [method, path] of [["POST", "/every"], ["PUT", `/every/id/${copy}`]] as const) {
            const response = await service.fetch(`/db/Sql${path}.${format}?csvNullStr`, {
              method,
              headers: { "content-type": type },
              body: body.replace(key(id), key(copy)),
            });
            const answer = await response.text();
            assert.equal(response.status, method === "POST" ? 201 : 204, `${format} ${id}: ${answer}`);
            assert.deepEqual(await place.client.run(differences(id, copy)), [], `${method} ${format} ${id}`);
          }
          await place.client.run(`delete from every where id = ${copy}`);
        }
      }
    },
  );
}

const FORMATS = [
  ["json", "application/json", (id: number) => `"id": ${id},`],
  ["xml", "text/xml", (id: number) => `<id>${id}</id>`],
  ["csv", "text/csv", (id: number) => `\r\n${id},`],
] as const;

/** Types that the server compares with nothing. */
const COMPARED: Readonly<Record<string, string>> = {
  text: "nvarchar(max)",
  ntext: "nvarchar(max)",
  xml: "nvarchar(max)",
  image: "varbinary(max)",
};

/** Names of columns in which two rows differ. */
function differences(one: number, other: number): string {
  const unequal = CASES.map(({ name, type }: TypeCase) => {
    const shown = COMPARED[type] ? `convert(${COMPARED[type]}, ${name})` : name;
    const of = (id: number) => `select ${shown} as v from every where id = ${id}`;
    return `select '${name}' where not exists (select v from (${of(one)}) as a intersect select v from (${
      of(other)
    }) as b)`;
  });
  return unequal.join(" union all ");
}
