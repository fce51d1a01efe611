/** @module The choice of a record whose key has several columns, with and without the script. */

import assert from "node:assert/strict";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";
import { Traveller, WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

browserTest(
  "choosing a record while one types fills the columns of its key; typing into one takes the choice back",
  async () => {
    const page = await browser().open(SIGHTS.wide);
    await signIn(page, "editor", service());
    const traveller = new Traveller(page, service().url, "mouse");
    await traveller.go("/db/Odd/Visit.html?ui.new");
    const fields = async () => [
      await traveller.valueOf("r.Region"),
      await traveller.valueOf("c.Country"),
      await traveller.valueOf("c.Region_Number"),
      await page.evaluate(`document.querySelector('[name="n.Country"]').checked`),
    ];
    await traveller.fill("r.Region", "part 42");
    const offered = await page.waitForSelector('option[value="A%2C 50%25,42"]');
    assert.equal(
      await (await offered?.getProperty("textContent"))?.jsonValue(),
      "Part 42 (A, 50%, 42)",
    );
    assert.deepEqual(await fields(), ["part 42", "", "", true], "a search is no choice");
    // The list that browsers draw is out of reach: a choice is its value.
    await traveller.fill("r.Region", "A%2C 50%25,42");
    assert.deepEqual(await fields(), ["A%2C 50%25,42", "A, 50%", "42", false]);
    assert.equal(await traveller.textOf("output"), "Part 42 (A, 50%, 42)");
    await page.waitForNetworkIdle({ idleTime: 500 });
    assert.equal(await traveller.textOf("output"), "Part 42 (A, 50%, 42)", "also after the next offers");
    await traveller.fill("c.Region_Number", "44");
    assert.deepEqual(await fields(), ["", "A, 50%", "44", false]);
    assert.equal(await traveller.textOf("output"), "", "nothing is chosen");
    await traveller.follow("Create", "button");
    assert.match(await traveller.text(), /It has been created\..*Part 44/s);
  },
);

browserTest("the label of a key that is typed stands below its field", async () => {
  const page = await browser().open(SIGHTS.wide);
  await signIn(page, "editor", service());
  const traveller = new Traveller(page, service().url, "mouse");
  await traveller.go("/db/Demo/Booking.html?ui.new");
  // This one is not among the first that are offered.
  const [customer] = await (await service().fetch("/db/Demo/Customer/CustomerId/162.json?wantarray"))
    .json();
  await traveller.fill("c.CustomerId", "162");
  await page.waitForSelector(`output::-p-text(${customer.LastName} (162))`);
  await traveller.fill("c.CustomerId", "nobody");
  assert.equal(await traveller.textOf("output"), "");
  await page.waitForNetworkIdle({ idleTime: 500 });
  await page.evaluate(`{
      const send = fetch;
      const slow = async (...given) => {
        const answer = await send(...given);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        return answer;
      };
      let count = 0;
      globalThis.fetch = (...given) => count++ === 0 ? slow(...given) : send(...given);
    }`);
  await traveller.fill("c.CustomerId", "161");
  await new Promise((resolve) => setTimeout(resolve, 400));
  await traveller.fill("c.CustomerId", customer.LastName);
  await page.waitForSelector(`datalist option[value="162"]`);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  assert.ok(await page.$(`datalist option[value="162"]`), "the slow answer to 161 comes too late");
});

for (const [way, part] of [["keyboard", 46], ["no script", 48]] as const) {
  browserTest(
    `a record is searched for a key of several columns, and chosen from the list: ${way}`,
    async () => {
      const page = await browser().open(WAYS[way]);
      await signIn(page, "editor", service());
      const traveller = new Traveller(page, service().url, way);
      await traveller.go("/db/Odd/Visit/VisitId/1.html?ui.edit");
      await traveller.fill("r.Region", "part 4");
      await traveller.press('button[value="Region"]');
      await traveller.choose("r.Region", `A%2C 50%25,${part}`);
      await traveller.follow("Save", "button");
      assert.match(await traveller.text(), new RegExp(`The changes are saved\\..*Part ${part}`, "s"));
    },
  );
}

const PAPERS = `
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60)
  INSERT INTO owner SELECT n, 'Owner ' || n FROM c;
CREATE TABLE paper (id INTEGER PRIMARY KEY, scan BLOB, owner INTEGER REFERENCES owner (id));
`;

browserTest("records are offered although a file is chosen, which is not sent with each search", async () => {
  await using own = await startService({ sqlite: { Papers: PAPERS } });
  const page = await browser().open(SIGHTS.wide);
  const traveller = new Traveller(page, own.url, "mouse");
  await traveller.go("/db/Papers/paper.html?ui.new");
  // More than the service takes, so that a search with it fails.
  await Deno.writeFile(`${own.home}/scan.png`, new Uint8Array(11_000_000));
  const chooser = page.waitForFileChooser();
  await page.click('input[type="file"]');
  await (await chooser).accept([`${own.home}/scan.png`]);
  await traveller.fill("c.owner", "owner 57");
  await page.waitForSelector('datalist option[value="57"]', { timeout: 20_000 });
  assert.equal(await page.evaluate(`document.querySelector('input[type="file"]').files.length`), 1);
  await traveller.fill("c.owner", "57");
  await page.waitForSelector("output::-p-text(Owner 57 (57))");
  await traveller.turn("n.owner", "true");
  assert.equal(await traveller.textOf("output"), "", "NULL is no owner");
});
