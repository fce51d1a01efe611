/** @module Forms about a record that has another address when they are sent, or none any more. */

import assert from "node:assert/strict";
import { browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { sharedService, startService } from "@/tests/support/service.ts";

const service = sharedService({
  sqlite: {
    Odd: "CREATE TABLE code (code TEXT PRIMARY KEY, title TEXT NOT NULL); " +
      "INSERT INTO code VALUES ('A', 'Alpha'), ('B', 'Beta'), ('C', 'Gamma'); " +
      "CREATE TABLE used (id INTEGER PRIMARY KEY, ref TEXT REFERENCES code ON UPDATE CASCADE); " +
      "INSERT INTO used VALUES (1, 'A'), (2, 'B'), (3, 'C'), (4, 'C'); " +
      "CREATE TABLE place (region TEXT, number INTEGER, name TEXT, PRIMARY KEY (region, number)); " +
      "INSERT INTO place VALUES ('north', 1, 'Bodø'); " +
      "CREATE TABLE moment (at DATETIME PRIMARY KEY, note TEXT); " +
      "INSERT INTO moment VALUES ('2024-02-29 10:11:12', 'x')",
  },
});

async function formAt(path: string): Promise<{ readonly action: string; readonly body: URLSearchParams }> {
  const page = await (await service().fetch(`${path}.html?ui.edit`)).text();
  const [, action = ""] = /<form method="post"[^>]* action="([^"]+)"/.exec(page) ?? [];
  return { action, body: sentForm(page) };
}

function send(action: string, body: URLSearchParams): Promise<Response> {
  return service().fetch(action, { method: "POST", headers: { Origin: service().url }, body });
}

/** The path of a record, the fields that are changed, and the path of its page behind that. */
const CHANGES: readonly (readonly [path: string, changes: Readonly<Record<string, string>>, to: string])[] = [
  ["/db/Odd/used/id/1", { "c.id": "11" }, "/db/Odd/used/id/11"],
  ["/db/Odd/code/code/B", { "c.code": "AC/DC v1.0" }, "/db/Odd/code/code/AC__DC%20v1_dot0"],
  ["/db/Odd/place/region/north/number/1", { "c.number": "7" }, "/db/Odd/place/region/north/number/7"],
  ["/db/Odd/moment/at/2024-02-29T10:11:12", { "c.note": "y" }, "/db/Odd/moment/at/2024-02-29T10%3A11%3A12"],
  ["/db/Odd/code/code/C/used/id/3", { "c.ref": "A" }, "/db/Odd/used/id/3"],
  ["/db/Odd/used/id/2/code", { "c.code": "BB", "c.title": "Second" }, "/db/Odd/code/code/BB"],
];

for (const [path, changes, to] of CHANGES) {
  Deno.test(`the form of ${path} leads to the record that it has changed: ${Object.keys(changes)}`, async () => {
    const { action, body } = await formAt(path);
    for (const [name, value] of Object.entries(changes)) body.set(name, value);
    const saved = await send(action, body);
    assert.equal(saved.status, 303, await saved.text());
    assert.equal(saved.headers.get("location"), `${to}.html?ui.done=changed`);
    const shown = await service().fetch(`${to}.html`);
    assert.equal(shown.status, 200);
    assert.ok((await shown.text()).includes(Object.values(changes)[0] ?? ""));
  });
}

Deno.test("a form about a record that somebody has deleted keeps what was typed", async () => {
  const { action, body } = await formAt("/db/Odd/used/id/4");
  body.set("c.ref", "A");
  const gone = await service().fetch("/db/Odd/used/id/4", { method: "DELETE" });
  assert.equal(gone.status, 204);
  const kept = await send(action, body);
  assert.equal(kept.status, 404);
  const page = await kept.text();
  assert.match(
    page,
    /Cannot find a record of table &quot;used&quot; with this key\. This page keeps what you typed\./,
  );
  assert.match(page, /What you typed.*ref: A/s);
  assert.doesNotMatch(page, /needs attention/);
  assert.equal(hiddenFields(page)["c.ref"], "A");
});

Deno.test("a form of somebody who may change the table no more keeps what was typed", async () => {
  const home = homeOf();
  await using other = await startService(home);
  const browser = await browserOf(other, "anna", PASSWORD);
  const path = "/db/Demo/Vessel/VesselId/1";
  const fields = sentForm((await browser.get(`${path}.html?ui.edit`)).text);
  fields.set("c.Name", "Fulmar");
  const admin = await browserOf(other, "admin", `${PASSWORD}-admin`);
  const narrowed = await admin.send("/userdef/anna.json", {
    method: "PUT",
    headers: { Origin: other.url, "Content-Type": "application/json" },
    body: JSON.stringify({ databases: { Demo: { access: { "*": ["read"] } } } }),
  });
  assert.equal(narrowed.status, 204, narrowed.text);
  const kept = await browser.post(`/ui${path}`, Object.fromEntries(fields));
  assert.equal(kept.status, 403);
  assert.match(
    kept.text,
    /Cannot update records of table &quot;Vessel&quot;\. This page keeps.*Name: Fulmar/s,
  );
});
