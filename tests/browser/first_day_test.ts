import assert from "node:assert/strict";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { parse } from "@/tests/support/packages/csv_parse.ts";
import { browserTest, sharedBrowser, type Sight } from "@/tests/support/browser/chromium.ts";
import { Watch } from "@/tests/support/browser/judge.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { Traveller, type Way, WAYS } from "./traveller.ts";

const browser = sharedBrowser();

const PASSWORD = "ferries cross the fjord at dawn";

/** From the start of the service to a chart and a file of the demo. */
async function begin(traveller: Traveller, service: TestProcess): Promise<void> {
  const [, link = ""] = await service.said(/(\/first-run\?token=\S+)\n/);
  await traveller.go(link);
  assert.match(await traveller.text(), /Login.*Three unrelated words/s);
  await traveller.fill("first_name", "Ada");
  await traveller.fill("last_name", "Lovelace");
  await traveller.fill("email", "ada@example.com");
  await traveller.fill("password", "ferry");
  await traveller.fill("repeated", "ferry");
  await traveller.follow("Set the password", "button");
  assert.match(await traveller.text(), /too easy to guess/);
  await traveller.fill("password", PASSWORD);
  await traveller.fill("repeated", PASSWORD);
  await traveller.follow("Set the password", "button");
  assert.equal(traveller.path, "/");
  assert.match(await traveller.text(), /Next steps/);
}

async function explore(traveller: Traveller, service: TestProcess, way: Way): Promise<void> {
  await traveller.go("/");
  await traveller.follow("Demo");
  await traveller.follow("Port");
  await traveller.unfold("Filter");
  await traveller.choose("ui.column", "CountryCode");
  await traveller.choose("ui.is", "is");
  if (way === "no script") await traveller.fill("ui.value", "NO");
  else await traveller.choose("#filter-choice", "NO");
  await traveller.follow("Apply", "button");
  await traveller.unfold("Export");
  const csv = new URL(await traveller.addressOf("CSV"));
  const rows = parse(await (await service.fetch(csv.pathname + csv.search)).text(), { columns: true });
  const json = await (await service.fetch("/db/Demo/Port/CountryCode/NO.json?limit=1000&href=false")).json();
  const texts = (list: unknown) =>
    (list as readonly Readonly<Record<string, unknown>>[]).map((row) => {
      const cells = Object.entries(row).filter(([, value]) => typeof value !== "object" || value === null);
      return Object.fromEntries(cells.map(([name, value]) => [name, String(value ?? "")]));
    });
  assert.deepEqual(texts(rows), texts(json));
  assert.ok(rows.length > 2);
  await traveller.follow("Summary");
  assert.match(await traveller.text(), /in numbers/);
  assert.match(await traveller.textOf("main figure"), /SVG/);
}

/** A database, a user with a right and a key, and the right taken back. */
async function administer(traveller: Traveller, service: TestProcess, way: string): Promise<void> {
  const id = `shop-${way.replace(" ", "-")}`;
  const login = `clerk-${way.replace(" ", "-")}`;
  await traveller.go("/dbdef.html");
  await traveller.follow("Add a database");
  await traveller.fill("s.db_id", id);
  await traveller.fill("s.db_name", `${service.home}/state/nowhere.db`);
  await traveller.follow("Test the connection", "button");
  assert.match(await traveller.text(), /Not connected/);
  await traveller.fill("s.db_name", `${service.home}/state/shop.db`);
  await traveller.follow("Test the connection", "button");
  assert.match(await traveller.text(), /Connected/);
  await traveller.follow("Create", "button");
  assert.match(await traveller.text(), /It has been created.*connected, 1 table found/s);
  await traveller.go("/userdef.html");
  await traveller.follow("Add a user");
  await traveller.fill("s.user_id", login);
  await traveller.fill("s.name", "A clerk");
  const matrix = `[name='m.["${id}","*"]'][value="read"]`;
  assert.equal(
    await traveller.sees(matrix),
    way === "no script",
    "rights are those on databases that are used",
  );
  await traveller.turn("ui.use", id);
  assert.equal(await traveller.sees(matrix), true);
  // Reading is the right that one begins with.
  await traveller.follow("Create", "button");
  assert.match(await traveller.text(), new RegExp(`May use.*${id}.*Item.*read`, "s"));
  await traveller.follow("Make a new key", "button");
  assert.match(await traveller.text(), /shown only now/);
  const key = await traveller.textOf("main pre");
  const ask = async (path: string, init: RequestInit = {}) => {
    return await statusOf(service.fetch(path, {
      ...init,
      headers: { apikey: key, ...init.headers },
    }));
  };
  const create = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"Name":"x"}' };
  assert.equal(await ask(`/db/${id}/Item.json`), 200);
  assert.equal(await ask(`/db/${id}/Item.json`, create), 403);
  assert.equal(await ask("/db/Demo/Port/PortId/1.json", { method: "DELETE" }), 403);
  await traveller.go(`/userdef/${login}.html`);
  await traveller.follow("Edit");
  await traveller.turn("ui.use", id);
  await traveller.follow("Save", "button");
  assert.match(await traveller.text(), /May use.*no database|may use no database/s);
  assert.notEqual(await ask(`/db/${id}/Item.json`), 200);
}

for (const [way, sight] of Object.entries(WAYS) as [Way, Sight][]) {
  browserTest(`the first day: ${way}`, async (test) => {
    await using service = await startProcess({
      prepare: (home) =>
        createDatabase(`${home}/state/shop.db`, "CREATE TABLE Item (Id INTEGER PRIMARY KEY, Name TEXT)"),
    });
    const page = await browser().open(sight);
    const watch = new Watch(page, service.url);
    const traveller = new Traveller(page, service.url, way);
    await test.step("first run", () => begin(traveller, service));
    await test.step("demo", () => explore(traveller, service, way));
    await test.step("administration", () => administer(traveller, service, way));
    assert.deepEqual(watch.complaints, []);
    await page.browserContext().close();
  });
}
