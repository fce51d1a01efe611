import { readEveryType, writeEveryType, ZONES } from "@/tests/support/type_cases/every_type.ts";
import { testOnServer } from "@/tests/unit/plugins/dialects/postgresql/fixture.ts";
import { servePlace } from "@/tests/api/dialects/postgresql_service.ts";
import { everyType, TYPE_CASES } from "@/tests/support/type_cases/postgresql.ts";

for (const [at, zone] of ZONES.entries()) {
  testOnServer(`values of every type are read, found, sorted and written again in zone ${zone}`, async () => {
    await using served = await servePlace(`types_${at}`, everyType(), { env: { TZ: zone } });
    const { service, place } = served;
    const every = {
      service,
      path: "/db/Pg",
      cases: TYPE_CASES,
      differences: async (one: number, other: number) =>
        (await place.change(differences(one, other))).split("\n").filter((name) => name !== ""),
      remove: (id: number) => place.change(`DELETE FROM every WHERE id = ${id}`),
    };
    await readEveryType(every);
    await writeEveryType(every);
  });
}

/** Names of columns in which two rows differ. */
function differences(one: number, other: number): string {
  const union = TYPE_CASES.map(({ name }) => {
    const of = (id: number) => `(SELECT ${name}::text FROM every WHERE id = ${id})`;
    return `SELECT '${name}' WHERE ${of(one)} IS DISTINCT FROM ${of(other)}`;
  });
  return `${union.join(" UNION ALL ")};`;
}
