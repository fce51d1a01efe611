/** @module Choosing related records in forms: by words of their label, and for keys of several columns. */

import assert from "node:assert/strict";
import { TEST_DIALECTS, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";
import { LEFT_OUT, openEngines } from "@/tests/api/values/engines.ts";

const KEY = "anna-0123456789-0123456789-0123456789";

const SCHEMA = `
CREATE TABLE person (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, secret TEXT);
CREATE TABLE region (country TEXT NOT NULL, number INTEGER NOT NULL, name TEXT, PRIMARY KEY (country, number));
CREATE TABLE house (id INTEGER PRIMARY KEY, country TEXT, part INTEGER, owner INTEGER REFERENCES person,
  FOREIGN KEY (country, part) REFERENCES region);
CREATE TABLE flat (id INTEGER PRIMARY KEY, country TEXT NOT NULL, part INTEGER NOT NULL,
  FOREIGN KEY (country, part) REFERENCES region);
CREATE TABLE tenant (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE project (tenant INTEGER REFERENCES tenant, code TEXT, name TEXT, PRIMARY KEY (tenant, code));
CREATE TABLE task (id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL REFERENCES tenant, code TEXT,
  FOREIGN KEY (tenant, code) REFERENCES project);
INSERT INTO person (first_name, last_name) VALUES ('Frank', 'Harris'), ('Frank', 'Miller'), ('Anna', 'Harris'),
  ('Frank', 'Ha,rris'), ('Harriet', 'Frankson'), ('100%', '_');
CREATE TABLE meeting (id INTEGER PRIMARY KEY, topic TEXT, at DATETIME, on_day DATE, fee DECIMAL(9,2));
CREATE TABLE minute (id INTEGER PRIMARY KEY, meeting INTEGER REFERENCES meeting, text TEXT);
INSERT INTO meeting VALUES (501, 'Quay', '2025-02-21 10:30:00', '2025-03-01', 7.5),
  (502, 'Quay', '2025-02-22 00:00:00', '2025-03-02', 9);
INSERT INTO tenant VALUES (1, 'One'), (2, 'Two');
INSERT INTO project VALUES (1, 'a,b', 'Alpha'), (1, 'c%2C', 'Common'), (2, 'a,b', 'Other alpha');
`;
const HOUSES = "INSERT INTO house VALUES (1, 'NO', 3, 1), (2, NULL, NULL, NULL);";

const PEOPLE = Array.from({ length: 60 }, (_, index) => `('Person ${index}', 'Nobody')`);
const REGIONS = ["NO", "SE"].flatMap((country) =>
  Array.from({ length: 40 }, (_, index) => `('${country}', ${index}, '${country} part ${index}')`)
);

const service = sharedService({
  files: {
    "config/databases.cfg":
      "Town: {db_type: sqlite, db_name: ../state/town.db, labels: {meeting: [topic, at, on_day, fee]}}\n",
    "config/users.cfg": `anna: {apikey: ${KEY}, databases: {Town: {}}}
public: {databases: {Town: {access: {house: [read, create]}}}}
admin: {}
`,
  },
  sqlite: {
    Town: `${SCHEMA} INSERT INTO person (first_name, last_name) VALUES ${PEOPLE};
       INSERT INTO region VALUES ${REGIONS}; ${HOUSES}`,
  },
});

const get = (path: string) => textOf(service().fetch(path, { headers: { apikey: KEY } }));

async function send(path: string, form: URLSearchParams) {
  const answer = await service().fetch(`/ui${path}`, {
    method: "POST",
    headers: { apikey: KEY, Origin: service().url },
    body: form,
  });
  return { status: answer.status, text: await answer.text(), location: answer.headers.get("location") };
}

/** The choices of a field. */
function optionsOf(page: string, name: string): readonly string[] {
  const [, options = ""] = new RegExp(`name="${RegExp.escape(name)}"[^>]*>(.*?)</(?:select|datalist)>`, "s")
    .exec(page) ?? [];
  return [...options.matchAll(/>([^<]+)</g)].map(([, label = ""]) => label);
}

async function search(text: string, name = "owner", field = `c.${name}`): Promise<string> {
  const form = sentForm(await get("/db/Town/house/id/1.html?ui.edit"));
  form.set(field, text);
  form.set("ui.search", name);
  const { status, text: page } = await send("/db/Town/house/id/1", form);
  assert.equal(status, 200, page);
  return page;
}

const FRANK_HARRIS = "Frank Harris (1)";

/** What is searched, and the people who are found. */
const SEARCHES: Readonly<Record<string, readonly string[]>> = {
  "Frank Harris": [FRANK_HARRIS],
  "Frank Har": [FRANK_HARRIS, "Harriet Frankson (5)"].toSorted(),
  "Harris Frank": [FRANK_HARRIS],
  "harris,  frank": [FRANK_HARRIS],
  "Frank Harris (1)": [FRANK_HARRIS],
  "Miller": ["Frank Miller (2)"],
  "Anna": ["Anna Harris (3)"],
  "3": ["Anna Harris (3)"],
  "%": ["100% _ (6)"],
  "Frank Harris 2": [],
  "*": [],
};

for (const [text, found] of Object.entries(SEARCHES)) {
  Deno.test(`a person is found by any part of the name: ${text}`, async () => {
    const options = optionsOf(await search(text), "c.owner");
    const people = options.filter((label) => !/choose one$|^Person/.test(label));
    assert.deepEqual(people.toSorted(), found);
  });
}

/** What is searched in the label of a meeting, which has no text alone. */
const MOMENTS: Readonly<Record<string, readonly string[]>> = {
  "quay 2025-02-21": ["501"],
  "2025-02-22": ["502"],
  "2025-02-21T10:30:00": ["501"],
  "2025-03-02": ["502"],
  "7.5 quay": ["501"],
  "501": ["501"],
  "quay": ["501", "502"],
  "2025": [],
};

for (const [text, found] of Object.entries(MOMENTS)) {
  Deno.test(`a label with a moment, a day and a number is searched: ${text}`, async () => {
    const form = sentForm(await get("/db/Town/minute.html?ui.new"));
    form.set("c.meeting", text);
    form.set("ui.search", "meeting");
    const { text: page } = await send("/db/Town/minute", form);
    const options = optionsOf(page, "c.meeting").filter((label) => label.startsWith("Quay"));
    assert.deepEqual(options.map((label) => /\((\d+)\)$/.exec(label)?.[1]), found, options.join());
  });
}

Deno.test("a search with many words is as short as any other, and one with odd characters finds nothing", async () => {
  for (const text of ["x ".repeat(90), "a\0b", "\ud800", "(),", "1e400", "9".repeat(60)]) {
    await search(text);
    await search(text, "region", "r.region");
  }
});

Deno.test("a key of several columns is chosen by a search, which fills all of them", async () => {
  const page = await get("/db/Town/house/id/1.html?ui.edit");
  assert.match(page, />A choice fills country and part\. Now it is NO part 3 \(NO, 3\)\.</);
  const found = await search("SE 17", "region", "r.region");
  assert.deepEqual(optionsOf(found, "r.region"), ["SE part 17 (SE, 17)"]);
  const form = sentForm(found);
  assert.deepEqual([form.get("r.region"), form.get("c.country")], ["SE,17", "NO"]);
  assert.equal((await send("/db/Town/house/id/1", form)).status, 303);
  const stored = async (id: number) => JSON.parse(await get(`/db/Town/house/id/${id}.json?href=false`));
  assert.deepEqual(await stored(1), { id: 1, country: "SE", part: 17, owner: 1 });
  // NULL gives way to a choice.
  const empty = sentForm(await get("/db/Town/house/id/2.html?ui.edit"));
  empty.set("r.region", "NO,9");
  assert.equal((await send("/db/Town/house/id/2", empty)).status, 303);
  assert.deepEqual(await stored(2), { id: 2, country: "NO", part: 9, owner: null });
  // Without a choice the columns have their own values.
  const typed = sentForm(await get("/db/Town/house/id/2.html?ui.edit"));
  typed.set("c.part", "10");
  assert.equal((await send("/db/Town/house/id/2", typed)).status, 303);
  assert.equal((await stored(2)).part, 10);
});

Deno.test("a choice stands for columns that need a value, also before they are filled", async () => {
  const page = await get("/db/Town/flat.html?ui.new");
  assert.doesNotMatch(page, /required="required"|May be empty/);
  const form = sentForm(page);
  const empty = await send("/db/Town/flat", form);
  assert.equal(empty.status, 400);
  assert.equal(empty.text.match(/>Is required</g)?.length, 2, empty.text);
  form.set("r.region", "NO,9");
  const { status, location } = await send("/db/Town/flat", form);
  assert.equal(status, 303);
  const made = JSON.parse(await get(`${location?.replace(/\.html.*/, "")}.json?href=false`));
  assert.deepEqual([made.country, made.part], ["NO", 9]);
});

Deno.test("a name in place of a key of several columns is searched", async () => {
  const form = sentForm(await get("/db/Town/house.html?ui.new"));
  form.set("r.region", "part 31");
  const refused = await send("/db/Town/house", form);
  assert.equal(refused.status, 400);
  assert.deepEqual(optionsOf(refused.text, "r.region"), [
    "2 fit “part 31”: choose one",
    "NO part 31 (NO, 31)",
    "SE part 31 (SE, 31)",
  ]);
  assert.match(refused.text, /Choose the record that you mean\./);
  form.set("r.region", "Atlantis");
  const vain = await send("/db/Town/house", form);
  assert.match(
    vain.text,
    /No record fits “Atlantis”\..*Search for another part of its name, or type its key\./s,
  );
  // A text that looks like a key is refused by the database; a choice stays chosen behind another mistake.
  form.set("r.region", "part 31, SE");
  assert.match((await send("/db/Town/house", form)).text, /“part 31, SE”|SE part 31 \(SE, 31\)/);
  form.set("r.region", "SE,31");
  form.set("c.id", "many");
  const other = await send("/db/Town/house", form);
  assert.match(other.text, /<option value="SE,31" selected="selected">SE part 31/);
});

Deno.test("a key with commas and percent signs is the one that was chosen", async () => {
  const form = sentForm(await get("/db/Town/task.html?ui.new"));
  const page = await get("/db/Town/task.html?ui.new");
  assert.deepEqual(optionsOf(page, "r.project"), [
    "Alpha (1, a,b)",
    "Common (1, c%2C)",
    "Other alpha (2, a,b)",
  ]);
  const values = [...page.matchAll(/<option value="(\d,[^"]*)"/g)].map(([, value = ""]) => value);
  for (const value of values) {
    form.set("r.project", value);
    const made = await send("/db/Town/task", form);
    assert.equal(made.status, 303, made.text);
  }
  const tasks = JSON.parse(await get("/db/Town/task/tenant,code.json?sort=id"));
  assert.deepEqual(tasks, [
    { tenant: 1, code: "a,b" },
    { tenant: 1, code: "c%2C" },
    { tenant: 2, code: "a,b" },
  ]);
});

Deno.test("a new record below another one is offered only records that fit the key of the path", async () => {
  const path = "/db/Town/tenant/id/1/task";
  const page = await get(`${path}.html?ui.new`);
  assert.doesNotMatch(page, /name="c\.tenant"/);
  assert.deepEqual(optionsOf(page, "c.code"), ["Alpha (a,b)", "Common (c%2C)"]);
  const form = sentForm(page);
  form.set("c.code", "c%2C");
  assert.equal((await send(path, form)).status, 303);
  // The key of the path is not known here.
  assert.match(await get("/db/Town/tenant/name/One/task.html?ui.new"), /<textarea[^>]* name="c\.code"/);
});

const ARTISTS = ["Édith Piaf", "IVÁN ÖZ", "Анна Жук", "Renée Ång"];
const ARTIST_TABLES = [
  "CREATE TABLE artist (id INTEGER PRIMARY KEY, name VARCHAR(60))",
  "CREATE TABLE song (id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist (id))",
  `INSERT INTO artist VALUES ${
    [...ARTISTS, ...Array(60).fill("Nobody")].map((name, at) => `(${at}, '${name}')`)
  }`,
];

Deno.test(`a search ignores the case of all letters on every engine${LEFT_OUT}`, async () => {
  const scripts = { sqlite: ARTIST_TABLES, postgresql: ARTIST_TABLES, mysql: ARTIST_TABLES };
  await using engines = await openEngines(scripts);
  for (const dialect of engines.dialects) {
    const form = sentForm(await engines.send(200, "GET", `/db/${dialect}/song.html?ui.new`));
    form.set("ui.search", "artist");
    for (const name of ARTISTS) {
      for (const typed of [name, name.toLowerCase(), name.toUpperCase()]) {
        form.set("c.artist", typed);
        const answer = await engines.service.fetch(`/ui/db/${dialect}/song`, {
          method: "POST",
          headers: { Origin: engines.service.url },
          body: form,
        });
        const found = optionsOf(await answer.text(), "c.artist").filter((text) => text !== "");
        assert.ok(
          found.some((label) => label.startsWith(name)) && found.length < 3,
          `${dialect}: ${typed}: ${found}`,
        );
      }
    }
  }
});

Deno.test("records that one may not read are not offered", async () => {
  const answer = await service().fetch("/db/Town/house.html?ui.new");
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.doesNotMatch(text, /Harris| part \d|name="r\./);
});

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "first and last name together, or the key, find a record", async () => {
    await using demo = await serveOn(dialect, { id: "Demo", made: "demo" }, startService);
    const [customer] = await (await demo.fetch("/db/Demo/Customer.json?limit=1&offset=70")).json();
    const { CustomerId, FirstName, LastName } = customer;
    const form = sentForm(await (await demo.fetch("/db/Demo/Booking.html?ui.new")).text());
    form.set("ui.search", "CustomerId");
    const small = `${LastName} ${FirstName}`.toLowerCase();
    for (const text of [`${LastName.slice(1)} ${FirstName}`, `${FirstName} ${CustomerId}`, small]) {
      form.set("c.CustomerId", text);
      const answer = await demo.fetch("/ui/db/Demo/Booking", {
        method: "POST",
        headers: { Origin: demo.url },
        body: form,
      });
      const found = optionsOf(await answer.text(), "c.CustomerId");
      assert.ok(found.includes(`${FirstName} ${LastName} (${CustomerId})`), `${text}: ${found}`);
      assert.ok(found.length < 5, `${text}: ${found}`);
    }
  });
}

Deno.test("a search of many words in many columns with letters of any language is an answer", async () => {
  await using town = await startService({
    files: {
      "config/databases.cfg":
        "Town: {db_type: sqlite, db_name: ../state/town.db, labels: {person: [a, b, c, d, e, f]}}\n",
    },
    sqlite: {
      Town: `CREATE TABLE person (id TEXT PRIMARY KEY, a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT);
        CREATE TABLE house (id INTEGER PRIMARY KEY, owner TEXT REFERENCES person);
        INSERT INTO person (id, a) VALUES ('x', 'Åse Øst Ærø Änne Östen Ünal')`,
    },
  });
  const form = sentForm(await (await town.fetch("/db/Town/house.html?ui.new")).text());
  form.set("c.owner", "åse øst ærø änne östen ünal");
  form.set("ui.search", "owner");
  const answer = await town.fetch("/ui/db/Town/house", {
    method: "POST",
    headers: { Origin: town.url },
    body: form,
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.deepEqual(optionsOf(text, "c.owner"), ["Åse Øst Ærø Änne Östen Ünal (x)"]);
});

Deno.test("where answers are streamed unless a request says otherwise, all choices are offered", async () => {
  await using town = await startService({
    files: { "config/service.ini": "[service]\nstream_by_default = True\norm_sdb.yield_per = 5\n" },
    sqlite: { Town: SCHEMA },
  });
  const options = optionsOf(await (await town.fetch("/db/Town/house.html?ui.new")).text(), "c.owner");
  assert.ok(options.includes("100% _ (6)"), options.join());
});
