/** @module Odd values and odd types: no link and no choice of a page leads to an error. */

import assert from "node:assert/strict";
import { sentForm } from "@/tests/support/sent_form.ts";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService({
  sqlite: {
    Odd: "CREATE TABLE t (id INTEGER PRIMARY KEY, day DATE); " +
      "CREATE TABLE pile (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, bytes BLOB, doc JSON); " +
      "CREATE TABLE odd (id INTEGER PRIMARY KEY, name TEXT, note TEXT, v); " +
      "INSERT INTO odd (name, note, v) VALUES ('a', 'x' || char(13, 10) || 'y', 5), " +
      "('b', 'x' || char(13) || 'y', 1.5), ('c', 'x' || char(0) || 'y', x'0001'), ('d', char(10) || 'x', '5'), " +
      "('e', 'x', 'y' || char(10) || 'z'); " +
      "CREATE TABLE port (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO port VALUES (1, 'Oslo'), (2, 'Rom'); " +
      "CREATE TABLE ship (id INTEGER PRIMARY KEY, name TEXT, port INTEGER REFERENCES port); " +
      "INSERT INTO ship (name, port) VALUES ('a/b_dot', 1), ('Ärger;x', 1), ('none', 2); " +
      "CREATE TABLE boat (id INTEGER PRIMARY KEY, port INTEGER REFERENCES port); " +
      "COMMIT; PRAGMA foreign_keys = OFF; BEGIN; INSERT INTO boat (port) VALUES (1), (1), ('junk'); " +
      "CREATE TABLE raft (id INTEGER PRIMARY KEY, port INTEGER REFERENCES port); INSERT INTO raft (port) VALUES (9); " +
      "CREATE TABLE moment (id INTEGER PRIMARY KEY, at DATETIME); " +
      "INSERT INTO moment (at) VALUES ('2020-01-31 23:59:59.999999999'), ('2020-01-31 23:59:59.9999995'), " +
      "('2020-02-01 00:00:00'); " +
      "CREATE TABLE memo (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO memo (note) VALUES ('x' || char(13, 10)); " +
      "CREATE TABLE maker (name TEXT PRIMARY KEY); INSERT INTO maker VALUES (''), ('  '); " +
      "CREATE TABLE part (id INTEGER PRIMARY KEY, maker TEXT REFERENCES maker); " +
      "INSERT INTO part (maker) VALUES (''), ('  '); " +
      "CREATE TABLE crate (id BLOB NOT NULL PRIMARY KEY, size INTEGER); INSERT INTO crate VALUES (x'0001', 5); " +
      "CREATE TABLE lid (id INTEGER PRIMARY KEY, name TEXT, crate BLOB REFERENCES crate); " +
      "INSERT INTO lid VALUES (1, 'old', x'0001'); " +
      "CREATE TABLE bill (id INTEGER PRIMARY KEY); INSERT INTO bill VALUES (7); " +
      "CREATE TABLE entry (id INTEGER PRIMARY KEY, bill INTEGER REFERENCES bill); INSERT INTO entry VALUES (1, 7); " +
      "CREATE TABLE parcel (id INTEGER PRIMARY KEY, weight DECIMAL(9,2)); " +
      "INSERT INTO parcel (weight) VALUES (-1000), (-1000), (-1001); " +
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, part INTEGER REFERENCES tag); " +
      "INSERT INTO tag (name, part) VALUES (NULL, 1), ('NULL', 1), ('', 1), ('empty', 1); " +
      'CREATE TABLE sheet (id INTEGER PRIMARY KEY, "Total\n(EUR)" REAL, "Mark\nhere" TEXT); ' +
      "INSERT INTO sheet VALUES (1, 1.5, NULL); " +
      "CREATE TABLE berth (name TEXT PRIMARY KEY); INSERT INTO berth VALUES ('10:30 o''clock'), ('11:30'); " +
      "CREATE TABLE mark (id INTEGER PRIMARY KEY, kind TEXT CHECK (kind IN ('', 'low'))); " +
      "INSERT INTO mark (kind) VALUES (''); " +
      "CREATE TABLE dose (id INTEGER PRIMARY KEY, size INTEGER NOT NULL DEFAULT 5, name TEXT NOT NULL DEFAULT 'x'); " +
      "INSERT INTO dose (size) VALUES (7); " +
      "INSERT INTO t (day) VALUES (''), ('junk'), ('2020-01-01'), (NULL)",
  },
});

for (const page of ["ui.chart=bar&ui.x=day", "ui.chart=bar&ui.x=day&ui.by=value", "ui.facet=day"]) {
  Deno.test(`every link of a list with ${page} leads to records`, async () => {
    const answer = await service().fetch(`/db/Odd/t.html?limit=29&${page}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const links = [...text.matchAll(/href="(\/db\/Odd\/t\/[^"]*)"/g)].map(([, link = ""]) => link);
    assert.ok(links.some((link) => link.startsWith("/db/Odd/t/day/2020-01-01.html")), text);
    for (const link of links) {
      const led = await service().fetch(link.replaceAll("&amp;", "&"));
      assert.equal(led.status, 200, link);
      assert.doesNotMatch(await led.text(), /class="complaint"/, link);
    }
    assert.doesNotMatch(text, /ui\.is=/);
  });
}

for (const page of ["ui.chart=bar&ui.x=port", "ui.facet=port"]) {
  Deno.test(`records behind a foreign key have their names beside a value that leads to none: ${page}`, async () => {
    const answer = await service().fetch(`/db/Odd/boat.html?limit=29&${page}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.match(text, /href="\/db\/Odd\/boat\/port\/1\.html\?limit=29">Oslo \(1\)<\/a>.*junk/s);
  });
}

for (const page of ["ui.chart=bar&ui.x=port&ui.by=value", "ui.facet=port"]) {
  Deno.test(`a list of which the only foreign key leads to no record has its values: ${page}`, async () => {
    const answer = await service().fetch(`/db/Odd/raft.html?limit=29&${page}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.match(text, /href="\/db\/Odd\/raft\/port\/9\.html\?limit=29">9<\/a>/);
  });
}

for (const page of ["ui.chart=bar&ui.x=name", "ui.facet=name"]) {
  Deno.test(`the link of a text that shows nothing has words: ${page}`, async () => {
    const text = await (await service().fetch(`/db/Odd/maker.html?limit=29&${page}`)).text();
    const labels = [...text.matchAll(/<a href="\/db\/Odd\/maker\/name\/[^"?]*\?limit=29">([^<]*)<\/a>/g)];
    assert.deepEqual(labels.map(([, label]) => label).slice(0, 2).toSorted(), ["(2 blanks)", "(empty)"]);
  });
}

Deno.test("the key of a record without another name is not said twice", async () => {
  const text = await (await service().fetch("/db/Odd/entry/id/1.html")).text();
  assert.match(text, /<dt>bill<\/dt><dd><a href="\/db\/Odd\/bill\/id\/7\.html">7<\/a><\/dd>/);
});

Deno.test("the form of a record takes columns whose names have a line break", async () => {
  const path = "/db/Odd/sheet/id/1";
  const body = sentForm(await (await service().fetch(`${path}.html?ui.edit`)).text());
  body.set("c.Total\r\n(EUR)", "2.5");
  const headers = { Origin: service().url };
  const answer = await service().fetch(`/ui${path}`, { method: "POST", redirect: "manual", headers, body });
  assert.equal(answer.status, 303, await answer.text());
  const { __href, ...stored } = await (await service().fetch(`${path}.json`)).json();
  assert.deepEqual(stored, { id: 1, "Total\n(EUR)": 2.5, "Mark\nhere": null });
});

for (const by of ["year", "month", "day"]) {
  Deno.test(`the link of a ${by} leads to its last nanosecond`, async () => {
    const text = await (await service().fetch(`/db/Odd/moment.html?ui.chart=bar&ui.x=at&ui.by=${by}`)).text();
    const [, table = ""] = /Records by at<\/caption>([^]*?)<\/table>/.exec(text) ?? [];
    const links = [...table.matchAll(/href="(\/db\/Odd\/moment\/[^"]*)"[^>]*>[^<]*<\/a>[^0-9]*(\d+)/g)];
    const counts = links.map(([, , count]) => Number(count));
    assert.deepEqual(counts, by === "year" ? [3] : [2, 1]);
    for (const [, link = "", count] of links) {
      const led = await (await service().fetch(link.replace(".html", ".json"))).json();
      assert.equal(led.length, Number(count), link);
    }
  });
}

for (const path of ["/db/Odd/tag.html?limit=9&sort=id", "/db/Odd/tag/id/1.html"]) {
  Deno.test(`links tell a missing value and an empty text from the texts NULL and empty: ${path}`, async () => {
    const text = await (await service().fetch(path)).text();
    const rows = [...text.matchAll(/<a href="\/db\/Odd\/tag\/id\/\d\.html[^"]*">(.*?)<\/a>/g)].map((
      [, each],
    ) => each);
    const names = ['<span class="null">NULL</span>', "NULL", '<span class="empty">empty</span>', "empty"];
    assert.deepEqual(rows.filter((each) => names.includes(each ?? "")), names);
  });
}

Deno.test("a value is not emptied where the column has a default and no empty text", async () => {
  const requiredAt = async (path: string) => {
    const page = await (await service().fetch(path)).text();
    return [...page.matchAll(/name="c\.(\w+)" required="required"/g)].map(([, name]) => name);
  };
  assert.deepEqual(await requiredAt("/db/Odd/dose/id/1.html?ui.edit"), ["id", "size"]);
  assert.deepEqual(await requiredAt("/db/Odd/dose.html?ui.new"), []);
});

Deno.test("a record whose key is bytes is called by its key as addresses have it", async () => {
  for (
    const [form, title] of [["", "crate AAE="], ["?ui.edit", "Edit crate AAE="], [
      "?ui.delete",
      "Delete crate AAE=?",
    ]]
  ) {
    const text = await (await service().fetch(`/db/Odd/crate/id/AAE%3D.html${form}`)).text();
    assert.equal(/<h1>(.*?)<\/h1>/.exec(text)?.[1], title);
  }
});

Deno.test("the digits of a total stand in groups before the point only", async () => {
  const text = await (await service().fetch("/db/Odd/parcel.html?ui.chart=histogram&ui.x=weight")).text();
  assert.match(text, /<dt>Sum<\/dt><dd>-3,001<\/dd>/);
  assert.match(text, /<dt>Mean<\/dt><dd>-1,000\.33333333333<\/dd>/);
});

Deno.test("columns that cannot be compared lead to no summary, and no chart offers them", async () => {
  const list = await (await service().fetch("/db/Odd/pile.html?limit=29")).text();
  assert.match(list, /ui\.chart&amp;ui\.x=name">Summary and chart</);
  assert.doesNotMatch(list, /ui\.x=(bytes|doc)"/);
  const page = await (await service().fetch("/db/Odd/pile.html?ui.chart=bar&ui.x=name")).text();
  const choices = (name: string) =>
    new RegExp(`name="${name}"[^>]*>(.*?)</select>`).exec(page)?.[1]?.match(/(?<=value=")[^"]*/g);
  assert.deepEqual(choices("ui\\.x"), ["id", "name", "size"]);
  assert.deepEqual(choices("ui\\.y"), ["", "id", "size"]);
});

for (
  const [chosen, complaint] of [
    ["bar&ui.x=name&ui.by=year", /Cannot group column &quot;name&quot; by year/],
    ["histogram&ui.x=name", /Cannot group column &quot;name&quot; by range/],
    ["scatter&ui.x=name&ui.y=size", /Cannot place points by column &quot;name&quot;/],
  ] as const
) {
  Deno.test(`a chart that does not fit, ${chosen}, has its form again`, async () => {
    const answer = await service().fetch(`/db/Odd/pile.html?limit=29&ui.chart=${chosen}`);
    const text = await answer.text();
    assert.equal(answer.status, 400);
    assert.match(text, complaint);
    assert.match(text, /<option value="name" selected="selected">/);
    assert.match(text, /href="\/db\/Odd\/pile\.html\?limit=29">Back to the list</);
  });
}

const BLANK = [
  "part.html?limit=9",
  "part/id/1.html",
  "part/id/2.html",
  "maker.html?limit=9",
  "maker/name/.html",
  "maker/name/%20%20.html",
];

for (const page of BLANK) {
  Deno.test(`every link of ${page} has something to click on`, async () => {
    const text = await (await service().fetch(`/db/Odd/${page}`)).text();
    assert.match(text, /<a [^>]*>(?:<span [^>]*>)?(?:empty|blank|1|2)</);
    assert.doesNotMatch(text, /<a [^>]*>\s*<\/a>/);
  });
}

for (const id of [1, 2, 3, 4, 5]) {
  Deno.test(`a form changes no value that nobody has changed, record ${id}`, async () => {
    const path = `/db/Odd/odd/id/${id}`;
    const stored = async () => await (await service().fetch(`${path}.json`)).json();
    const before = await stored();
    const save = async (changes: Record<string, string>) => {
      const fields = sentForm(await (await service().fetch(`${path}.html?ui.edit`)).text());
      for (const [name, value] of Object.entries(changes)) fields.set(name, value);
      const headers = { Origin: service().url };
      const sent = { method: "POST", redirect: "manual", headers, body: fields } as const;
      const answer = await service().fetch(`/ui${path}`, sent);
      assert.equal(answer.status, 303, await answer.text());
    };
    await save({ "c.name": "other" });
    assert.deepEqual(await stored(), { ...before, name: "other" });
    await save({ "c.note": "z", "c.v": "w" });
    assert.deepEqual(await stored(), { ...before, name: "other", note: "z", v: "w" });
  });
}

Deno.test("a form of values that it cannot send, and that nobody has changed, is saved all the same", async () => {
  const fields = sentForm(await (await service().fetch("/db/Odd/memo/id/1.html?ui.edit")).text());
  for (const name of [...fields.keys()]) if (name === "c.id") fields.delete(name);
  const headers = { Origin: service().url };
  const sent = { method: "POST", redirect: "manual", headers, body: fields } as const;
  const answer = await service().fetch("/ui/db/Odd/memo/id/1", sent);
  assert.equal(answer.status, 303, await answer.text());
  assert.equal(await (await service().fetch("/db/Odd/memo/id/1/note.json")).json(), "x\r\n");
});

/** Saves a form of a record as without script, where the switches stay as they are while somebody types. */
async function save(form: string, to: string, changes: Record<string, string>) {
  const fields = sentForm(await (await service().fetch(`/db/Odd/${form}`)).text());
  for (const [name, value] of Object.entries(changes)) fields.set(name, value);
  const sent = { method: "POST", redirect: "manual", headers: { Origin: service().url } } as const;
  const answer = await service().fetch(`/ui/db/Odd/${to}`, { ...sent, body: fields });
  return { answer, text: await answer.text(), fields };
}

/** The record that a form has made. */
async function madeBy({ answer: { headers } }: { readonly answer: Response }) {
  const path = headers.get("location")?.replace(/\.html.*/, "") ?? "";
  return await (await service().fetch(`${path}.json`)).json();
}

Deno.test("a text in a field that was NULL is saved although its switch is on, as it stays without script", async () => {
  const made = await madeBy(await save("t.html?ui.new", "t", { "c.day": "2024-02-28" }));
  assert.equal(made.day, "2024-02-28");
  const refused = await save("t/id/4.html?ui.edit", "t/id/4", { "c.day": "someday" });
  assert.deepEqual([refused.answer.status, refused.fields.get("n.day")], [400, "true"]);
  assert.equal(sentForm(refused.text).get("ui.null"), "day");
  await save("t/id/4.html?ui.edit", "t/id/4", { "c.day": "2024-02-29" });
  assert.equal((await (await service().fetch("/db/Odd/t/id/4.json")).json()).day, "2024-02-29");
});

Deno.test("the switch of a field makes it NULL although its text is still there, also in a copy", async () => {
  const copy = await madeBy(await save("t/id/3.html?ui.copy", "t", { "n.day": "true" }));
  assert.equal(copy.day, null);
  await save("t/id/3.html?ui.edit", "t/id/3", { "n.day": "true" });
  assert.equal((await (await service().fetch("/db/Odd/t/id/3.json")).json()).day, null);
});

Deno.test("a copy has the empty texts of its record, also after a mistake", async () => {
  assert.equal((await madeBy(await save("tag/id/3.html?ui.copy", "tag", {}))).name, "");
  assert.equal((await madeBy(await save("mark/id/1.html?ui.copy", "mark", {}))).kind, "", "a choice");
  assert.equal((await madeBy(await save("part/id/1.html?ui.copy", "part", {}))).maker, "", "a foreign key");
  const refused = await save("tag/id/3.html?ui.copy", "tag", { "c.part": "none" });
  assert.equal(refused.answer.status, 400);
  assert.equal(sentForm(refused.text).get("ui.empty"), "name");
});

Deno.test("a foreign key of bytes is a choice, which a change of another column keeps", async () => {
  const { answer, fields } = await save("lid/id/1.html?ui.edit", "lid/id/1", { "c.name": "new" });
  assert.deepEqual([answer.status, fields.get("c.crate")], [303, "AAE="]);
  const { name, crate } = await (await service().fetch("/db/Odd/lid/id/1.json")).json();
  assert.deepEqual({ name, crate }, { name: "new", crate: "AAE=" });
  const page = await (await service().fetch("/db/Odd/lid/id/1.html?ui.edit")).text();
  assert.doesNotMatch(page, /The file of the record/);
  assert.equal((await madeBy(await save("lid/id/1.html?ui.copy", "lid", {}))).crate, "AAE=");
});

Deno.test("the step to the next record goes on where a proxy has decoded the path of the present one", async () => {
  const next = async (path: string) => {
    const text = await (await service().fetch(`/db/Odd/berth/name/${path}.html?ui.in=berth&ui.at=0`)).text();
    const [, href = ""] = /rel="next" href="([^"]*)"/.exec(text) ?? [];
    const step = await service().fetch(href.replaceAll("&amp;", "&"));
    await step.body?.cancel();
    return step.headers.get("location");
  };
  const second = "/db/Odd/berth/name/11%3A30.html?ui.in=berth&ui.at=1";
  for (const path of ["10%3A30%20o%27clock", "10:30%20o'clock"]) assert.equal(await next(path), second);
});

Deno.test("a form says which record it is about, also without a label", async () => {
  for (const [form, title] of [["delete", "Delete parcel 1?"], ["edit", "Edit parcel 1"]]) {
    const text = await (await service().fetch(`/db/Odd/parcel/id/1.html?ui.${form}`)).text();
    assert.ok(text.includes(`<h1>${title}</h1>`), text);
  }
});

Deno.test("a form asks for the key of a record, also where the database takes NULL as a key", async () => {
  for (
    const form of ["maker.html?ui.new", "maker/name/%20%20.html?ui.copy", "maker/name/%20%20.html?ui.edit"]
  ) {
    const text = await (await service().fetch(`/db/Odd/${form}`)).text();
    assert.match(text, /<textarea [^>]*name="c\.name" required="required"/, form);
    assert.doesNotMatch(text, /name="n\.name"/, form);
  }
});

for (const marks of ["separator=;", "separator=;&wildcard=$", "placeholder=@@", "nullStr=none"]) {
  Deno.test(`links and forms of a list lead to records whatever its parameters are: ${marks}`, async () => {
    const follow = async (path: string) => {
      const first = await service().fetch(path);
      const to = first.headers.get("location");
      if (to !== null) await first.body?.cancel();
      const answer = to === null ? first : await service().fetch(to);
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      assert.doesNotMatch(text, /class="complaint"/, path);
      return text;
    };
    const list = `/db/Odd/ship.html?limit=9&${marks}`;
    for (const more of ["ui.facet=port", "ui.facet=name", "ui.chart=bar&ui.x=port&ui.by=value"]) {
      const text = await follow(`${list}&${more}`);
      const links = text.matchAll(/href="(\/db\/Odd\/ship\/[^"]*\.html[^"]*)"/g);
      const paths = [...links].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
      assert.ok(paths.length >= 2, text);
      for (const path of paths) assert.doesNotMatch(await follow(path), /No rows/, path);
      if (more.includes("port")) assert.match(text, /Oslo/);
    }
    await follow(`${list}&ui.show=id&ui.show=name`);
    const added = await follow(`${list}&ui.column=name&ui.is=any&ui.value=a/b_dot|Ärger;x`);
    assert.match(added, />2 rows|1–2 of 2|1&#8211;2 of 2/);
  });
}
