import assert from "node:assert/strict";
import { HAS_CHROMIUM, TestBrowser } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions } from "./house.ts";
import { Traveller, WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());

/** The field for the value of a filter, for columns and comparisons that are chosen one after another. */
const FIELDS: readonly (readonly [column: string, comparison: string, field: readonly string[]])[] = [
  ["LaunchedOn", "least", ["date", "text", ""]],
  ["LaunchedOn", "begins", ["text", "text", ""]],
  ["Seats", "range", ["text", "decimal", ""]],
  ["Seats", "outside", ["text", "decimal", ""]],
  ["InService", "is", ["text", "text", "yes or no"]],
  ["Sailing/Departure", "most", ["text", "text", "2031-05-27 18:30:00"]],
  ["Name", "contains", ["text", "text", ""]],
  ["Name", "none", ["text", "text", "one | another"]],
  ["Seats", "any", ["text", "text", "one | another"]],
];

const VALUE =
  `(({ type, inputMode, placeholder }) => [type, inputMode, placeholder])(document.querySelector("#filter-value"))`;

Deno.test({
  name: "the field for the value of a filter fits the column and the comparison",
  ignore: !HAS_CHROMIUM,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.open(WAYS.mouse);
    const traveller = new Traveller(page, service().url, "mouse");
    await traveller.go("/db/Demo/Vessel.html?limit=5");
    await traveller.unfold("Filter");
    for (const [column, comparison, field] of FIELDS) {
      await traveller.choose("ui.column", column);
      await traveller.choose("ui.is", comparison);
      const found = await page.evaluate(VALUE);
      assert.deepEqual(found, field, `${column} ${comparison}`);
    }
    await traveller.choose("ui.column", "InService");
    await traveller.choose("ui.is", "is");
    await traveller.fill("ui.value", "no");
    await traveller.follow("Apply", "button");
    assert.match(await traveller.text(), /Vessel where InService is no/);
  },
});

for (const way of ["keyboard", "no script"] as const) {
  Deno.test({
    name: `the form of a filter that a menu leads to has the cursor where one types: ${way}`,
    ignore: !HAS_CHROMIUM,
    async fn() {
      await using browser = await TestBrowser.start();
      const page = await browser.open(WAYS[way]);
      await page.goto(`${service().url}/db/Demo/Vessel.html?limit=5&ui.filter=Name`, { waitUntil: "load" });
      await page.waitForSelector("#filter-value:focus", { timeout: 5000 });
      await page.keyboard.type("Bura");
      const sent = page.waitForNavigation({ waitUntil: "load" });
      await page.keyboard.press("Enter");
      await sent;
      assert.match(page.url(), /\/db\/Demo\/Vessel\/Name\/Bura\.html/);
    },
  });
}
