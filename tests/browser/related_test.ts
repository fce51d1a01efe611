import assert from "node:assert/strict";
import { browserTest, sharedBrowser } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";
import { Traveller, WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

/** The customers that are offered beside the field, or in its place. */
const OFFERED = `[...document.querySelectorAll(
  '[name="c.CustomerId"] + datalist option, select[name="c.CustomerId"] option[value]:not([value=""])')]
  .map((each) => each.label)`;

browserTest(
  "a related record of many is found by a part of its name: as one types, or by a button without script",
  async (test) => {
    const { fetch, url } = service();
    const [customer] = await (await fetch("/db/Demo/Customer.json?limit=1&offset=300&href=false")).json();
    for (const way of ["mouse", "no script"] as const) {
      await test.step(way, async () => {
        const page = await browser().open(WAYS[way]);
        await signIn(page, "editor", service());
        const traveller = new Traveller(page, url, way);
        await traveller.go("/db/Demo/Booking.html?ui.new");
        await traveller.fill("c.CustomerId", customer.LastName);
        if (way === "no script") await traveller.press('button[name="ui.search"][value="CustomerId"]');
        await page.waitForSelector(
          `[name="c.CustomerId"] + datalist option[value="${customer.CustomerId}"], ` +
            `select[name="c.CustomerId"] option[value="${customer.CustomerId}"]`,
        );
        const labels = await page.evaluate(OFFERED) as readonly string[];
        assert.ok(
          labels.length > 0 && labels.every((each) => each.includes(customer.LastName)),
          labels.join(),
        );
      });
    }
  },
);

browserTest("what a search has found is in sight, also in a small window", async () => {
  const page = await browser().open({ width: 390, height: 300 });
  await signIn(page, "editor", service());
  const traveller = new Traveller(page, service().url, "mouse");
  await traveller.go("/db/Demo/Booking.html?ui.new");
  for (const [typed, found] of [["no such name", "input"], ["an", "select"]] as const) {
    await traveller.fill("c.CustomerId", typed);
    await traveller.press('button[value="CustomerId"]');
    const field = await page.waitForSelector(`${found}[name="c.CustomerId"]`);
    assert.equal(await field?.isIntersectingViewport({ threshold: 1 }), true, typed);
  }
});
