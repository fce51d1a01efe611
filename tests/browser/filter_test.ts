import assert from "node:assert/strict";
import { browserTest, sharedBrowser } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions } from "./house.ts";
import { Traveller, WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

/** The field for the value of a filter, or some of its choices, for columns and comparisons in turn. */
const FIELDS: readonly (readonly [column: string, comparison: string, field: readonly string[]])[] = [
  ["LaunchedOn", "least", ["date", ""]],
  ["LaunchedOn", "begins", ["text", ""]],
  ["Seats", "range", ["text", ""]],
  ["Seats", "outside", ["text", ""]],
  ["InService", "is", ["yes", "no"]],
  ["InService", "null", []],
  ["Sailing/Departure", "most", ["text", "2031-05-27 07:30:00"]],
  ["Sailing/Departure", "is", ["text", "2031-05-27 07:30:00"]],
  ["Name", "contains", ["text", ""]],
  ["Name", "none", ["text", "one | another"]],
  ["Seats", "any", ["text", "one | another"]],
  ["HomePortId", "not", ["Bergen (1)", "Bodø (2)", "Tromsø (4)"]],
  ["HomePortId", "any", ["Bergen (1)", "Bodø (2)", "Tromsø (4)"]],
  ["HomePortId", "most", ["text", ""]],
  ["Port/Name", "is", ["Bergen", "Bodø", "Tromsø"]],
  ["Port/Name", "ends", ["text", ""]],
];

/** The choices, or the field, that is in sight. */
const VALUE = `(() => {
  const choice = document.querySelector("#filter-choice");
  const field = document.querySelector("#filter-value");
  if (!field.checkVisibility() && !choice?.checkVisibility()) return [];
  if (field.hidden) return [...choice.querySelectorAll("option, label")].map(({ textContent }) => textContent);
  return [field.type, field.placeholder];
})()`;

browserTest("the field for the value of a filter fits the column and the comparison", async (test) => {
  const page = await browser().open(WAYS.mouse);
  const traveller = new Traveller(page, service().url, "mouse");
  const go = async () => {
    await traveller.go("/db/Demo/Vessel.html?limit=5&sort=Name");
    await traveller.unfold("Filter");
  };
  const choose = async (column: string, comparison: string) => {
    await traveller.choose("ui.column", column);
    await traveller.choose("ui.is", comparison);
    await page.waitForNetworkIdle();
  };
  await go();
  for (const [column, comparison, field] of FIELDS) {
    await test.step(`${column} ${comparison}`, async () => {
      await choose(column, comparison);
      const found = await page.evaluate(VALUE) as readonly string[];
      assert.deepEqual(found.filter((each) => field.includes(each)), field, found.join());
      assert.equal(
        found.length > 3,
        field.includes("Bergen") || field.includes("Bergen (1)"),
        found.join(),
      );
    });
  }
  await test.step("one of the values", async () => {
    await choose("InService", "is");
    await page.select("#filter-choice", "no");
    await traveller.follow("Apply", "button");
    assert.match(await traveller.text(), /Vessel where InService is no/);
    assert.match(page.url(), /sort=Name/);
  });
  await test.step("no value for a text that was typed for another column", async () => {
    await go();
    await choose("Name", "is");
    await traveller.fill("ui.value", "Skarv");
    await choose("InService", "is");
    assert.equal(await traveller.valueOf("#filter-choice"), "");
  });
  await test.step("a text where the values cannot be asked for", async () => {
    await go();
    await choose("InService", "is");
    await page.setOfflineMode(true);
    await choose("HomePortId", "is");
    await page.setOfflineMode(false);
    assert.deepEqual((await page.evaluate(VALUE) as unknown[])[0], "text");
  });
  await test.step("several of the values, which the form has when it comes back", async () => {
    await go();
    const top = `document.querySelector("#filter-is").getBoundingClientRect().top`;
    const before = await page.evaluate(top);
    await choose("HomePortId", "any");
    assert.equal(await page.evaluate(top), before, "the comparison stays where it was");
    for (const port of [2, 3]) await page.click(`#filter-choice [value="${port}"]`);
    await traveller.follow("Apply", "button");
    assert.match(page.url(), /\/Vessel\/HomePortId\/2,3\.html/);
    await traveller.press(".chips a");
    const checked = `[...document.querySelectorAll("#filter-choice :checked")].map(({ value }) => value)`;
    await page.waitForSelector("#filter-choice");
    assert.deepEqual(await page.evaluate(checked), ["2", "3"]);
  });
  await test.step("a day in place of a moment", async () => {
    await go();
    await choose("Sailing/Departure", "least");
    await traveller.fill("ui.value", "2025-06-01");
    await traveller.follow("Apply", "button");
    assert.match(page.url(), /\/Sailing\/Departure\/2025-06-01\.\.\/Vessel/);
    await traveller.press(".chips a");
    assert.equal(await traveller.valueOf("ui.value"), "2025-06-01");
  });
  await test.step("a moment with a part of a second", async () => {
    await traveller.go("/db/Demo/Sailing/Departure/2025-06-01T10:00:00.123456...html?limit=5&ui.change=1");
    assert.deepEqual((await page.evaluate(VALUE) as unknown[])[0], "text");
    assert.equal(await traveller.valueOf("ui.value"), "2025-06-01T10:00:00.123456");
  });
  await test.step("values that no record has", async () => {
    await traveller.go("/db/Demo/Vessel/HomePortId/2,99999.html?limit=5&ui.change=1");
    await page.waitForNetworkIdle();
    assert.deepEqual((await page.evaluate(VALUE) as unknown[])[0], "text");
    assert.equal(await traveller.valueOf("ui.value"), "2|99999");
  });
});

for (const way of ["keyboard", "no script"] as const) {
  browserTest(
    `the form of a filter that a menu leads to has the cursor where one types: ${way}`,
    async () => {
      const page = await browser().open(WAYS[way]);
      await page.goto(`${service().url}/db/Demo/Vessel.html?limit=5&ui.filter=Name`, { waitUntil: "load" });
      await page.waitForSelector("#filter-value:focus");
      await page.keyboard.type("Bura");
      const sent = page.waitForNavigation({ waitUntil: "load" });
      await page.keyboard.press("Enter");
      await sent;
      assert.match(page.url(), /\/db\/Demo\/Vessel\/Name\/Bura\.html/);
    },
  );
}

browserTest("the form of a filter that a menu leads to has the cursor in the choice of values", async () => {
  const page = await browser().open(WAYS.keyboard);
  await page.goto(`${service().url}/db/Demo/Vessel.html?limit=5&ui.filter=HomePortId`, {
    waitUntil: "load",
  });
  await page.waitForSelector("#filter-choice:focus");
  await page.keyboard.type("Spl");
  const sent = page.waitForNavigation({ waitUntil: "load" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await sent;
  assert.match(page.url(), /\/db\/Demo\/Vessel\/Port\/Name\/Split\/Vessel\.html/);
});

browserTest(
  "back at a list whose form a menu has opened, the form has the column of the menu with its values",
  async () => {
    const page = await browser().open(WAYS.mouse);
    const traveller = new Traveller(page, service().url, "mouse");
    await traveller.go("/db/Demo/Vessel.html?limit=5&ui.filter=HomePortId");
    await page.waitForSelector("#filter-choice");
    await traveller.choose("ui.column", "InService");
    await traveller.go("/db/Demo.html");
    await page.goBack({ waitUntil: "load" });
    await page.waitForSelector("#filter-choice > option::-p-text(Split)");
    assert.equal(await traveller.valueOf("ui.column"), "Port/Name");
  },
);
