import assert from "node:assert/strict";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

/** The content box of a sheet of A4 at 96 points to the inch, less its margins. */
const SHEET = { width: 700, height: 1000 };

const PAGES = {
  "a list": "/db/Demo/Customer.html?limit=100",
  "a list with an open form": "/db/Demo/Vessel.html?limit=29&ui.filter=Name",
  "a filtered list with frequent values":
    "/db/Demo/Port/CountryCode/NO,DK/PortId/1...html?limit=29&ui.facet=CountryCode",
  "a list of 200 columns": "/db/Odd/Wide.html?limit=5",
  "a record": "/db/Demo/Port/PortId/1.html",
  "a chart": "/db/Demo/Booking.html?ui.chart",
};

/** Elements in sight that lead somewhere or change something. */
const CONTROLS = `[...document.querySelectorAll(
  "header, nav, button, select, input, summary, .actions, .tools, .many, .chips > :not(.chip) > a")]
  .filter((each) => each.checkVisibility() && each.getClientRects().length > 0).map((each) => each.outerHTML)`;

const WIDEST = `Math.max(0, ...[...document.querySelectorAll("main *")]
  .filter((each) => each.checkVisibility() && !each.closest("svg")).map((each) => each.getBoundingClientRect().right))`;

/** Chromium repeats no header that is higher than a quarter of the sheet. */
const HIGHEST_HEADER = `Math.max(0, ...[...document.querySelectorAll("thead")]
  .map((each) => each.getBoundingClientRect().height))`;

/** Names of columns that are broken inside a word: each has more lines than words. */
const BROKEN_NAMES = `[...document.querySelectorAll("thead th > :first-child")].filter((each) => {
  const range = document.createRange();
  range.selectNodeContents(each);
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
  return lines.size > each.textContent.trim().split(/\\s+/).length;
}).map((each) => each.textContent)`;

/** Values that run into the column beside theirs. */
const OVERLAPPING = `[...document.querySelectorAll("td")].filter((each) => each.checkVisibility())
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)`;

browserTest(
  "on paper a page has no controls, fits the sheet, and tables have their headers on each sheet",
  async (test) => {
    const page = await browser().open({ ...SIGHTS.wide, isDark: true });
    await signIn(page, "editor", service());
    await page.emulateMediaType("print");
    await page.setViewport(SHEET);
    for (const [name, path] of Object.entries(PAGES)) {
      await test.step(name, async () => {
        await page.goto(service().url + path, { waitUntil: "load" });
        assert.deepEqual(await page.evaluate(CONTROLS), []);
        const widest = Number(await page.evaluate(WIDEST));
        assert.ok(widest <= SHEET.width * 1.35, `${widest} does not fit ${SHEET.width}, nor shrunk a little`);
        const paper = await page.evaluate("getComputedStyle(document.querySelector('main')).colorScheme");
        assert.equal(paper, "light");
        const repeated = await page.evaluate(
          `[...document.querySelectorAll("thead")].map((each) => getComputedStyle(each))
            .map(({ display, breakInside }) => display + " " + breakInside)`,
        );
        assert.ok((repeated as readonly string[]).every((each) => each === "table-header-group avoid"));
        const highest = Number(await page.evaluate(HIGHEST_HEADER));
        assert.deepEqual(await page.evaluate(BROKEN_NAMES), []);
        assert.ok(highest <= SHEET.height / 4, `a header of ${highest} is not repeated`);
        assert.deepEqual(await page.evaluate(OVERLAPPING), []);
      });
    }
    await test.step("relations, which are not printed, do not break the rows of a list", async () => {
      await page.goto(`${service().url}/db/Demo/Employee.html?limit=5`, { waitUntil: "load" });
      const rows = `(() => {
        for (const row of document.querySelectorAll("main tr")) row.append(row.lastElementChild.cloneNode(true));
        return [document.querySelectorAll("th").length, getComputedStyle(document.querySelector("tr")).display];
      })()`;
      assert.deepEqual(await page.evaluate(rows), [15, "table-row"]);
    });
    await test.step("a description is not larger than its title", async () => {
      await page.goto(`${service().url}/query.html`, { waitUntil: "load" });
      const sizes = `["li a", "li p"].map((each) =>
        parseFloat(getComputedStyle(document.querySelector("main " + each)).fontSize))`;
      const [title = 0, description = 0] = await page.evaluate(sizes) as number[];
      assert.ok(description > 0 && description < title, `${description} and ${title}`);
    });
    await test.step("a list says which of its rows it has, and its texts keep their lines", async () => {
      await page.goto(`${service().url}/db/Demo/Booking/BookingId,Remarks.html?limit=40`, {
        waitUntil: "load",
      });
      const text = String(await page.evaluate("document.body.innerText"));
      assert.match(text, /\n35\ta\nb\n.*\n1–40 of 1,500$/s);
    });
  },
);
