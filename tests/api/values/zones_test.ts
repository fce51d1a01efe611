import assert from "node:assert/strict";
import { complaintsAbout, type OpenApi } from "@/tests/api/openapi/document.ts";
import { LEFT_OUT, sharedEngines } from "./engines.ts";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import { assertValidXml, XMLLINT_MISSING } from "@/tests/support/well_formed_xml.ts";

const MOMENT = "2024-03-10T02:30:00.25";
/** `zoned` has a time zone where the engine has such a type. */
const SCRIPTS = {
  sqlite: [
    "CREATE TABLE event (id INTEGER PRIMARY KEY, plain DATETIME, zoned DATETIME, day DATE, clock TIME)",
  ],
  postgresql: [
    "CREATE TABLE event (id int PRIMARY KEY, plain timestamp, zoned timestamptz, day date, clock time, shift timetz)",
  ],
  mysql: [
    "CREATE TABLE event (id int PRIMARY KEY, plain datetime(6), zoned timestamp(6) NULL, day date, clock time(6))",
  ],
} as const;

const engines = sharedEngines(SCRIPTS);
const suffixed = sharedEngines(SCRIPTS, ["json_sdb.utc_suffix = True"]);

function testEach(name: string, fn: (path: string, zoned: boolean) => Promise<void>): void {
  Deno.test(`${name}${LEFT_OUT}`, async () => {
    for (const dialect of engines().dialects) {
      const path = `/db/${dialect}/event`;
      await engines().send(204, "DELETE", `${path}.json?all`);
      await fn(path, dialect !== "sqlite");
    }
  });
}

testEach("`Z` is taken by every type of times, in bodies of each format", async (path) => {
  const values = { plain: `${MOMENT}Z`, zoned: `${MOMENT}Z`, day: "2024-03-10Z", clock: "02:30:00.25Z" };
  const names = Object.keys(values);
  const bodies = [
    [JSON.stringify({ id: 1, ...values }), "application/json"],
    [`id,${names.join()}\n2,${Object.values(values).join()}\n`, "text/csv"],
    [
      `<Rowhouse xmlns="urn:rowhouse"><event><id>3</id>${
        Object.entries(values).map(([name, value]) => `<${name}>${value}</${name}>`).join("")
      }</event></Rowhouse>`,
      "text/xml",
    ],
  ] as const;
  for (const [body, type] of bodies) await engines().send(201, "POST", `${path}.json`, body, type);
  for (const id of [1, 2, 3]) {
    const found = JSON.parse(await engines().send(200, "GET", `${path}/id/${id}/plain,zoned,day,clock.json`));
    assert.deepEqual(found, { plain: MOMENT, zoned: MOMENT, day: "2024-03-10", clock: "02:30:00.25" }, path);
  }
});

testEach("a page says that times are in UTC where they do not", async (path, zoned) => {
  const record = JSON.stringify({ id: 1, plain: MOMENT, zoned: MOMENT });
  await engines().send(201, "POST", `${path}.json`, record);
  const list = await engines().send(200, "GET", `${path}.html?limit=9`);
  const marked = [...list.matchAll(/<a class="sort"[^>]*>(\w+)<\/a><span[^>]*>UTC</g)].map(([, name]) =>
    name
  );
  assert.deepEqual(marked, zoned ? ["zoned"] : [], path);
  const shown = await engines().send(200, "GET", `${path}/id/1.html`);
  const told = [...shown.matchAll(/<dt>(\w+)<\/dt><dd>[^<]*<p class="hint">In UTC</g)].map(([, name]) =>
    name
  );
  assert.deepEqual(told, marked, path);
  assert.ok(!(await engines().send(200, "GET", `${path}.html?limit=9&tz=Z`)).includes(">UTC<"), path);
});

testEach("the midnights that programs send for days are days", async (path) => {
  for (const [id, day] of ["2024-03-10T00:00:00.000Z", "2024-03-10T00:00:00", "2024-03-10 00:00"].entries()) {
    await engines().send(201, "POST", `${path}.json`, JSON.stringify({ id, day }));
  }
  assert.deepEqual(
    JSON.parse(await engines().send(200, "GET", `${path}/day/2024-03-10T00:00:00.000Z/id.json`)),
    [
      ...[0, 1, 2],
    ],
  );
  await engines().send(400, "POST", `${path}.json`, '{"id": 9, "day": "2024-03-10T23:00:00Z"}');
});

testEach(
  "an offset is converted where the type has a zone, and refused where it has none",
  async (path, zoned) => {
    const local = "2024-03-10T13:30:00.25+11:00";
    for (
      const [id, text] of [local, "2024-03-09 22:00:00.25-0430", "2024-03-10T02:30:00.25+00:00"].entries()
    ) {
      const isZero = id === 2;
      await engines().send(
        zoned || isZero ? 201 : 400,
        "POST",
        `${path}.json`,
        JSON.stringify({ id, zoned: text }),
      );
      await engines().send(
        isZero ? 201 : 400,
        "POST",
        `${path}.json`,
        JSON.stringify({ id: id + 10, plain: text }),
      );
    }
    const all = JSON.parse(await engines().send(200, "GET", `${path}/id/0..9/zoned.json`));
    assert.deepEqual(all, zoned ? [MOMENT, MOMENT, MOMENT] : [MOMENT], path);
    const refusal = await engines().send(400, "GET", `${path}/plain/${local}.json`);
    assert.match(refusal, /without an offset: the type has no time zone/);
  },
);

testEach("filters take what bodies take, in lists and ranges", async (path, zoned) => {
  await engines().send(201, "POST", `${path}.json`, JSON.stringify({ id: 1, plain: MOMENT, zoned: MOMENT }));
  const local = "2024-03-10T13:30:00.25+11:00";
  const found = [`plain/${MOMENT}Z`, `plain/${MOMENT}Z..`, `zoned/${MOMENT}Z,2000-01-01T00:00:00Z`];
  const offsets = [
    `zoned/${local}`,
    `zoned/2024-03-10T13:30:00+11:00..${local}`,
    `zoned/${local.replace("+", "%2B")}`,
  ];
  for (const filter of [...found, ...zoned ? offsets : []]) {
    assert.deepEqual(JSON.parse(await engines().send(200, "GET", `${path}/${filter}/id.json`)), [1], filter);
  }
});

testEach(
  "answers have `Z` where they are asked for it, in every format, and schemas say so",
  async (path, zoned) => {
    const record = JSON.stringify({ id: 1, plain: MOMENT, zoned: MOMENT });
    await engines().send(201, "POST", `${path}.json`, record);
    const shown = zoned ? `${MOMENT}Z` : MOMENT;
    const json = await engines().send(200, "GET", `${path}.json?tz=Z`);
    assert.deepEqual([JSON.parse(json)[0].zoned, JSON.parse(json)[0].plain], [shown, MOMENT]);
    const xml = await engines().send(200, "GET", `${path}.xml?tz=Z`);
    assert.ok(xml.includes(`<zoned>${shown}</zoned>`) && xml.includes(`<plain>${MOMENT}</plain>`), xml);
    for (const extension of ["csv", "txt", "html"]) {
      const text = await engines().send(200, "GET", `${path}/zoned.${extension}?tz=Z&limit=9`);
      assert.equal(text.includes(`${MOMENT}Z`), zoned, text);
    }
    for (const query of ["&stream", "&transpose", "&distinct"]) {
      const text = await engines().send(200, "GET", `${path}/zoned,plain.json?tz=Z${query}`);
      assert.ok(text.includes(`"${shown}"`) && text.includes(`"${MOMENT}"`), text);
    }
    const schema = await engines().send(200, "GET", `${path}.json?tz=Z&schema`);
    assertFits(schema, [json]);
    const { properties } = JSON.parse(schema).items;
    assert.equal(JSON.stringify(properties.zoned).includes('"date-time"'), zoned);
    assert.ok(!JSON.stringify(properties.plain).includes('"date-time"'));
    if (!XMLLINT_MISSING) {
      await assertValidXml(await engines().send(200, "GET", `${path}.xml?tz=Z&schema`), [
        xml,
      ]);
    }
  },
);

testEach("an OpenAPI document has no `tz`, whose answers are not as it describes them", async (path) => {
  await engines().send(201, "POST", `${path}.json`, JSON.stringify({ id: 1, zoned: MOMENT }));
  const database = path.split("/")[2];
  const document: OpenApi = JSON.parse(await engines().send(200, "GET", `/openapi/${database}.json`));
  const { parameters, responses } = document.paths[`${path}.json`]?.get ?? assert.fail();
  const schema = responses["200"]?.content?.["application/json"]?.schema ?? assert.fail();
  const isListed = JSON.stringify(parameters).includes('parameters/tz"');
  const records = JSON.parse(await engines().send(200, "GET", `${path}.json?tz=Z`));
  assert.deepEqual(isListed ? complaintsAbout(document, schema, records) : [], [], path);
});

testEach(
  "without being asked for it answers have no `Z`, and tags do not depend on it for writing",
  async (path) => {
    await engines().send(
      201,
      "POST",
      `${path}.json`,
      JSON.stringify({ id: 1, plain: MOMENT, zoned: MOMENT }),
    );
    assert.deepEqual(JSON.parse(await engines().send(200, "GET", `${path}/zoned.json`)), [MOMENT]);
    const answer = await engines().service.fetch(`${path}/id/1.json?tz=Z`);
    const body = await answer.text();
    const headers = { "if-match": answer.headers.get("etag") ?? "", "content-type": "application/json" };
    const written = await engines().service.fetch(`${path}/id/1.json`, { method: "PUT", body, headers });
    assert.equal(written.status, 204, await written.text());
    assert.deepEqual(JSON.parse(await engines().send(200, "GET", `${path}/zoned.json`)), [MOMENT]);
    await engines().send(400, "GET", `${path}.json?tz=Europe/Paris`);
  },
);

Deno.test(`json_sdb.utc_suffix adds \`Z\` to JSON alone${LEFT_OUT}`, async () => {
  for (const dialect of suffixed().dialects) {
    const path = `/db/${dialect}/event`;
    await suffixed().send(
      201,
      "POST",
      `${path}.json`,
      JSON.stringify({ id: 1, plain: MOMENT, zoned: MOMENT }),
    );
    const shown = dialect === "sqlite" ? MOMENT : `${MOMENT}Z`;
    assert.deepEqual(JSON.parse(await suffixed().send(200, "GET", `${path}/zoned.json`)), [shown]);
    assert.deepEqual(JSON.parse(await suffixed().send(200, "GET", `${path}/plain.json`)), [MOMENT]);
    assert.ok(!(await suffixed().send(200, "GET", `${path}.csv`)).includes(`${MOMENT}Z`));
    const described = await suffixed().send(200, "GET", `/openapi/${dialect}.json`);
    assert.equal(described.includes('"date-time"'), dialect !== "sqlite");
  }
});

Deno.test(`examples of times in an OpenAPI document fit their schemas${LEFT_OUT}`, async () => {
  for (const { dialects, send } of [engines(), suffixed()]) {
    for (const dialect of dialects) {
      const document: OpenApi = JSON.parse(await send(200, "GET", `/openapi/${dialect}.json`));
      for (const name of [`${dialect}.event`, `${dialect}.event.values`]) {
        const { examples } = document.components["schemas"]?.[name] as {
          readonly examples: readonly unknown[];
        };
        const schema = { $ref: `#/components/schemas/${name}` };
        assert.deepEqual(complaintsAbout(document, schema, examples[0]), [], name);
      }
    }
  }
});
