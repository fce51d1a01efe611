/** @module The Enter key, the Back button and double clicks, as people press them. */

import assert from "node:assert/strict";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";
import { Traveller } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

browserTest(
  "Enter sends the form and not its search, or narrows; two clicks send once; Back shows the page's own choice",
  async (test) => {
    const page = await browser().open(SIGHTS.wide);
    await signIn(page, "admin", service());
    const traveller = new Traveller(page, service().url, "mouse");
    const back = () => page.goBack({ waitUntil: "load" });

    await test.step("Enter in a form with a search", async () => {
      await traveller.go("/db/Demo/Booking/BookingId/1.html?ui.edit");
      assert.ok(!await traveller.sees("main button[hidden]"));
      await traveller.fill("c.Reference", "ENTER1");
      const arrival = page.waitForNavigation({ waitUntil: "load" });
      await page.keyboard.press("Enter");
      await arrival;
      assert.match(await traveller.text(), /The changes are saved/);
    });

    await test.step("two clicks", async () => {
      await traveller.go("/db/Demo/Amenity.html?ui.new");
      await traveller.fill("c.Name", "Clicked twice");
      const button = await page.$("main button.main");
      const arrival = page.waitForNavigation({ waitUntil: "load" });
      await button?.click({ count: 2, delay: 10 });
      await arrival;
      assert.match(await traveller.text(), /It has been created/);
      await page.waitForNetworkIdle();
      const found = await service().fetch("/db/Demo/Amenity/Name/Clicked twice.json");
      assert.equal((await found.json()).length, 1);
    });

    await test.step("a form on a page that the browser has kept", async () => {
      await traveller.go("/db/Demo/Amenity.html?ui.new");
      const refused = await page.evaluate(`(() => {
        const form = document.querySelector("form[data-guard]");
        const seen = [];
        form.noValidate = true;
        addEventListener("submit", (event) => {
          seen.push(event.defaultPrevented);
          event.preventDefault();
        });
        form.requestSubmit();
        form.requestSubmit();
        dispatchEvent(new Event("pageshow"));
        form.requestSubmit();
        return seen;
      })()`);
      assert.deepEqual(refused, [false, true, false]);
    });

    await test.step("Enter in the box that narrows the tables of a user", async () => {
      await traveller.go("/userdef/reader.html?ui.edit");
      const box = await page.waitForSelector("[data-narrow] input", { visible: true });
      await box?.type("Port");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      assert.equal(await page.evaluate("document.readyState"), "complete");
      assert.equal(traveller.path, "/userdef/reader.html?ui.edit");
      await box?.type("xyz");
      assert.ok(await traveller.sees("[data-narrow] output::-p-text(Nothing fits)"));
      await page.keyboard.press("Escape");
      assert.ok(!await traveller.sees("[data-narrow] output::-p-text(Nothing fits)"));
    });

    await test.step("a value that is needed, unless it is NULL", async () => {
      await traveller.go("/query/bookings-by-year.html");
      const isAsked = () => page.evaluate("document.querySelector('[name=\"ui.arg.year\"]').required");
      const values = [await isAsked()];
      await traveller.turn("ui.null.year", "true");
      values.push(await isAsked());
      await traveller.fill("ui.arg.year", "2025");
      values.push(await isAsked());
      assert.deepEqual(values, [true, false, true]);
      await traveller.turn("ui.null.year", "true");
      await traveller.follow("Run", "button");
      assert.equal(traveller.path, "/query/bookings-by-year/year/%3Cnull%3E.html?limit=29");
    });

    await test.step("Back to all columns", async () => {
      await traveller.go("/db/Demo/Port.html?limit=5");
      await traveller.unfold("Columns");
      await traveller.turn("ui.show", "Latitude");
      await traveller.follow("Show", "button");
      await back();
      assert.equal(
        await page.evaluate("document.querySelectorAll('[name=\"ui.show\"]:not(:checked)').length"),
        0,
      );
    });

    await test.step("Back to the former chart", async () => {
      await traveller.go("/db/Demo/Port.html?ui.chart=bar&ui.x=CountryCode");
      await traveller.choose("ui.x", "Name");
      await traveller.follow("Draw", "button");
      await back();
      assert.equal(await traveller.valueOf("ui.x"), "CountryCode");
    });

    page.on("dialog", (dialog) => void dialog.accept());

    await test.step("Back to the fields of a choice", async () => {
      await traveller.go("/dbdef.html?ui.new");
      await traveller.choose("s.db_type", "postgresql");
      await traveller.go("/");
      await back();
      assert.equal(await traveller.valueOf("s.db_type"), "postgresql");
      assert.ok(await traveller.sees('[name="s.db_host"]'));
    });

    await test.step("Back to SQL", async () => {
      await traveller.go("/querydef.html?ui.new");
      await traveller.fill("s.sqlstr", "SELECT 7");
      await traveller.go("/");
      await back();
      await page.waitForSelector(">>> .cm-line ::-p-text(7)");
      assert.equal(await traveller.valueOf("s.sqlstr"), "SELECT 7");
    });
    await page.browserContext().close();
  },
);
