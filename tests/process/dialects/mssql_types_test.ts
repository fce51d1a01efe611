import {
  readEveryType,
  type TypeCase,
  writeEveryType,
  ZONES,
} from "@/tests/support/type_cases/every_type.ts";
import { Client, SERVER } from "@/tests/unit/plugins/dialects/mssql/fixture.ts";
import { servePlace, testOnServer } from "@/tests/api/dialects/mssql_service.ts";
import { everyType, typeCases } from "@/tests/support/type_cases/mssql.ts";

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
      const every = {
        service,
        path: "/db/Sql",
        cases: CASES,
        differences: async (one: number, other: number) =>
          (await place.client.run(differences(one, other))).map(([name]) => String(name)),
        remove: (id: number) => place.client.run(`delete from every where id = ${id}`),
      };
      await readEveryType(every);
      await writeEveryType(every);
    },
  );
}

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
