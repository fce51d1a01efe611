/** @module The table of a list: its menus in every way, and what stays in sight. */

import assert from "node:assert/strict";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions } from "./house.ts";
import { WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

const OTHERS = "VesselId,CallSign,HomePortId,LaunchedOn,Seats,LengthMetres,InService,Pennant";

/** The addresses that the entries of the menu of the column Name lead to. */
const ENTRIES = [
  "/db/Demo/Vessel.html?limit=5&sort=Name",
  "/db/Demo/Vessel.html?limit=5&sort=-Name",
  "/db/Demo/Vessel.html?limit=5&ui.filter=Name",
  "/db/Demo/Vessel.html?limit=5&ui.chart&ui.x=Name",
  "/db/Demo/Vessel.html?limit=5&ui.facet=Name",
  `/db/Demo/Vessel/${OTHERS}.html?limit=5`,
];

/** Whether the menu of the column Name begins below its button, and beside its left edge. */
const BELOW = `(() => {
  const { left, bottom } = document.querySelector('[aria-label="Menu of column Name"]').getBoundingClientRect();
  const menu = document.querySelector(":popover-open").getBoundingClientRect();
  return [menu.top - bottom, menu.left - left].map((gap) => Math.abs(gap) < 10);
})()`;

for (const way of ["keyboard", "no script"] as const) {
  browserTest(`the menu of a column sorts, filters, hides and sums up: ${way}`, async () => {
    const page = await browser().open(WAYS[way]);
    const list = `${service().url}/db/Demo/Vessel.html?limit=5`;
    for (const [tabs, address] of ENTRIES.entries()) {
      await page.goto(list, { waitUntil: "load" });
      const button = await page.waitForSelector('button[aria-label="Menu of column Name"]');
      const arrival = page.waitForNavigation({ waitUntil: "load" });
      if (way === "keyboard") {
        await button?.focus();
        await page.keyboard.press("Enter");
        assert.deepEqual(await page.evaluate(BELOW), [true, true]);
        for (let tab = 0; tab <= tabs; tab++) await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
      } else {
        await button?.click();
        assert.deepEqual(await page.evaluate(BELOW), [true, true]);
        await (await page.$(`:popover-open li:nth-child(${tabs + 1}) > a`))?.click();
      }
      await arrival;
      assert.equal(page.url(), service().url + address);
    }
    await page.browserContext().close();
  });
}

/** The addresses that the entries of the menu of a column of 201 lead to; the last one hides the column. */
const WIDE_ENTRIES = [
  "/db/Odd/Wide.html?limit=5&sort=C150",
  "/db/Odd/Wide.html?limit=5&sort=-C150",
  "/db/Odd/Wide.html?limit=5&ui.filter=C150",
  "/db/Odd/Wide.html?limit=5&ui.chart&ui.x=C150",
  "/db/Odd/Wide.html?limit=5&ui.facet=C150",
];

for (const way of ["keyboard", "no script"] as const) {
  browserTest(
    `a column of many has the same menu, which the service makes when it is asked for: ${way}`,
    async () => {
      const page = await browser().open(WAYS[way]);
      const list = `${service().url}/db/Odd/Wide.html?limit=5`;
      for (const [tabs, address] of WIDE_ENTRIES.entries()) {
        await page.goto(list, { waitUntil: "load" });
        const opener = await page.waitForSelector('a[aria-label="Menu of column C150"]');
        if (way === "keyboard") {
          await opener?.focus();
          await page.keyboard.press("Enter");
          await page.waitForSelector(":popover-open a:focus");
          for (let tab = 0; tab < tabs; tab++) await page.keyboard.press("Tab");
          const arrival = page.waitForNavigation({ waitUntil: "load" });
          await page.keyboard.press("Enter");
          await arrival;
        } else {
          const shown = page.waitForNavigation({ waitUntil: "load" });
          await opener?.click();
          await shown;
          const arrival = page.waitForNavigation({ waitUntil: "load" });
          await (await page.$(`#menu > li:nth-child(${tabs + 2}) > a`))?.click();
          await arrival;
        }
        assert.equal(page.url(), service().url + address);
      }
      await page.browserContext().close();
    },
  );
}

browserTest(
  "the menu of a column of many closes on Escape, and the list stays where it was scrolled to",
  async () => {
    const page = await browser().open(WAYS.mouse);
    await page.goto(`${service().url}/db/Odd/Wide.html?limit=5`, { waitUntil: "load" });
    const opener = await page.waitForSelector('a[aria-label="Menu of column C150"]');
    await opener?.click();
    await page.waitForSelector(":popover-open");
    await page.keyboard.press("Escape");
    await page.waitForFunction("!document.querySelector('.popover')");
    const state =
      "[scrollX, document.querySelector('.scroll').scrollLeft > 0, document.activeElement.ariaLabel]";
    assert.deepEqual(await page.evaluate(state), [0, true, "Menu of column C150"]);
    await page.browserContext().close();
  },
);

/** Scrolls the list both ways, and tells whether its header and the label of a record are at its edges. */
const SCROLLED = `(() => {
  const list = document.querySelector("section.scroll");
  list.scrollTo(400, 600);
  const { top, left } = list.getBoundingClientRect();
  const header = document.querySelector("thead th").getBoundingClientRect();
  const label = document.querySelector("tbody tr:nth-child(40) td.first").getBoundingClientRect();
  const isNear = (one, other) => Math.abs(one - other) < 2;
  return [list.scrollTop > 0, list.scrollLeft > 0, isNear(header.top, top), isNear(label.left, left)];
})()`;

for (const sight of ["wide", "phone"] as const) {
  browserTest(
    `the header and the label of each record stay in sight while a list is scrolled: ${sight}`,
    async () => {
      const page = await browser().open({ ...SIGHTS[sight], width: Math.min(SIGHTS[sight].width, 900) });
      await page.goto(`${service().url}/db/Demo/Customer.html?limit=100`, { waitUntil: "load" });
      assert.deepEqual(await page.evaluate(SCROLLED), [true, true, true, true]);
      await page.browserContext().close();
    },
  );
}

browserTest(
  "the pages of a long list are in sight without scrolling; a chart that goes on beyond a phone fades at its end",
  async () => {
    const wide = await browser().open(SIGHTS.wide);
    await wide.goto(`${service().url}/db/Demo/Customer.html?limit=100`, { waitUntil: "load" });
    const isInSight = "document.querySelector('.pager').getBoundingClientRect().bottom <= innerHeight";
    assert.ok(await wide.evaluate(isInSight));
    const phone = await browser().open(SIGHTS.phone);
    await phone.goto(`${service().url}/db/Demo/Vessel.html?ui.chart=bar&ui.x=HomePortId`, {
      waitUntil: "load",
    });
    const chart = `(() => {
      const frame = document.querySelector(".wide");
      frame.scrollTo(frame.scrollWidth, 0);
      const { right } = frame.firstElementChild.getBoundingClientRect();
      const room = frame.getBoundingClientRect().right - right;
      const sizes = [...frame.querySelectorAll("text")].map((each) => {
        const { a, b } = each.getScreenCTM();
        return parseFloat(getComputedStyle(each).fontSize) * Math.hypot(a, b);
      });
      const { maskImage } = getComputedStyle(frame);
      return [sizes.every((size) => size >= 11.9), frame.scrollLeft > 0,
        maskImage.includes("transparent") || maskImage.includes("rgba(0, 0, 0, 0)"), Math.round(room)];
    })()`;
    assert.deepEqual(await phone.evaluate(chart), [true, true, true, 32]);
    await wide.browserContext().close();
    await phone.browserContext().close();
  },
);

browserTest(
  "counting related records shows their numbers, also beyond the right end of the window",
  async () => {
    const page = await browser().open(WAYS["no script"]);
    await page.goto(`${service().url}/db/Demo/Customer.html?limit=50`, { waitUntil: "load" });
    const arrival = page.waitForNavigation({ waitUntil: "load" });
    await (await page.waitForSelector("main a::-p-text(Count related)"))?.click();
    await arrival;
    const shown = `(() => {
      const list = document.querySelector("section.scroll");
      const { right, top } = document.querySelector("th.many:last-child").getBoundingClientRect();
      const end = list.getBoundingClientRect();
      return [scrollY, list.scrollLeft > 0, right <= end.right, top >= end.top];
    })()`;
    assert.deepEqual(await page.evaluate(shown), [0, true, true, true]);
    await page.browserContext().close();
  },
);

/** The cells that are wider than the room beside the first column. */
const TOO_WIDE = `(() => {
  const { width } = document.querySelector("td.first").getBoundingClientRect();
  const room = document.querySelector("section.scroll").clientWidth - width;
  return [...document.querySelectorAll("td:not(.first)")].filter((cell) => cell.offsetWidth > room)
    .map((cell) => cell.textContent.slice(0, 40));
})()`;

browserTest("a phone has room for any column of texts beside the label of the records", async () => {
  const page = await browser().open(SIGHTS.phone);
  await page.goto(`${service().url}/db/Odd/Odd.html?limit=9`, { waitUntil: "load" });
  assert.deepEqual(await page.evaluate(TOO_WIDE), []);
  const height = await page.evaluate('document.querySelector("td:has(> .long)").offsetHeight') as number;
  assert.ok(height < 150, `a long text is ${height} px high`);
  await page.browserContext().close();
});

/** Whether the open panel ends within the window, with all that is in it, and in one line in a wide one. */
const PANEL = `(() => {
  const panel = document.querySelector("details[open] > .drop-in");
  const lines = new Set([...panel.querySelectorAll(".row > *")].filter((each) => each.offsetHeight > 0)
    .map((each) => Math.round(each.getBoundingClientRect().bottom)));
  const isWithin = panel.getBoundingClientRect().right <= innerWidth && panel.scrollWidth <= panel.clientWidth;
  return [isWithin, document.documentElement.scrollWidth <= innerWidth, lines.size < 2 || innerWidth < 1000];
})()`;

browserTest(
  "long names of columns leave the filter in one line of a wide window, and all that is in a panel within any",
  async () => {
    for (
      const [width, panel] of [
        [1280, "Filter"],
        [390, "Filter"],
        [390, "Columns"],
        [700, "Columns"],
        [900, "Columns"],
      ] as const
    ) {
      const page = await browser().open({ ...SIGHTS.wide, width });
      await page.goto(`${service().url}/db/Odd/Long.html`, { waitUntil: "load" });
      await (await page.waitForSelector(`summary::-p-text(${panel})`))?.click();
      await page.waitForSelector("details[open] > .drop-in");
      assert.deepEqual(await page.evaluate(PANEL), [true, true, true], `${panel} at ${width}`);
      await page.browserContext().close();
    }
  },
);

/** Whether the focused link of the list is behind something else; undefined outside of it. */
const IS_COVERED = `(() => {
  const link = document.activeElement;
  if (!link.closest("table")) return undefined;
  const { left, top, width, height } = link.getBoundingClientRect();
  return !link.contains(document.elementFromPoint(left + width / 2, top + height / 2));
})()`;

/** The links from whose last one the keyboard goes back. */
const LAST = { "Demo/Customer.html?limit=50": "tbody a", "Odd/Wide.html?limit=3": "thead a" };

browserTest("the keyboard comes to no link behind the header row or the label of the records", async () => {
  const page = await browser().open(SIGHTS.wide);
  for (const [path, last] of Object.entries(LAST)) {
    await page.goto(`${service().url}/db/${path}`, { waitUntil: "load" });
    await page.evaluate(`{
        document.querySelector(".scroll").scrollTo(1e6, 1e6);
        [...document.querySelectorAll("${last}")].at(-1).focus();
      }`);
    const covered: unknown[] = [];
    await page.keyboard.down("Shift");
    for (let tab = 0; tab < 180; tab++) {
      await page.keyboard.press("Tab");
      covered.push(await page.evaluate(IS_COVERED));
    }
    await page.keyboard.up("Shift");
    assert.deepEqual(new Set(covered), new Set([false]), path);
  }
  await page.browserContext().close();
});

/** The numbers of values that are broken into several lines. */
const BROKEN_NUMBERS = `[...document.querySelectorAll(".chip")].filter(({ lastChild }) => {
  const range = document.createRange();
  range.selectNodeContents(lastChild);
  return range.getClientRects().length > 1;
}).map(({ textContent }) => textContent)`;

browserTest("the number of a frequent value is whole, however long the value is", async () => {
  const page = await browser().open({ ...SIGHTS.narrow, width: 260 });
  await page.goto(`${service().url}/db/Demo/Ticket.html?limit=5&ui.facet=FareCode`, { waitUntil: "load" });
  assert.deepEqual(await page.evaluate(BROKEN_NUMBERS), []);
  await page.browserContext().close();
});

/** Whether the column that the list is sorted by lies between the label of the records and the right edge. */
const SORTED_IN_SIGHT = `(() => {
  const edges = (selector) => document.querySelector(selector).getBoundingClientRect();
  const { left, right } = edges("th[aria-sort]");
  return left >= edges("th.first").right - 1 && right <= edges("section.scroll").right;
})()`;

for (const sight of ["wide", "phone"] as const) {
  browserTest(`a list of many columns shows the one that it is sorted by: ${sight}`, async () => {
    const page = await browser().open(SIGHTS[sight]);
    await page.goto(`${service().url}/db/Odd/Wide.html?limit=5`, { waitUntil: "load" });
    const arrival = page.waitForNavigation({ waitUntil: "load" });
    await (await page.waitForSelector(".sort::-p-text(C150)"))?.click();
    await arrival;
    assert.equal(await page.evaluate(SORTED_IN_SIGHT), true);
    await page.browserContext().close();
  });
}

browserTest("a table whose columns go on beyond the right edge is shaded there", async () => {
  const page = await browser().open(SIGHTS.phone);
  await page.goto(`${service().url}/db/Demo.html`, { waitUntil: "load" });
  // A view has no relations, and its number of columns is beyond the edge.
  const right = await page.evaluate("document.querySelector('.scroll').getBoundingClientRect().right");
  const row = await (await page.waitForSelector("tr::-p-text(RevenueByMonth)"))?.boundingBox();
  const clip = { x: Number(right) - 6, y: (row?.y ?? 0) + 4, width: 4, height: 20 };
  const shaded = await page.screenshot({ clip });
  await page.evaluate("document.querySelector('.scroll').scrollLeft = 9999");
  assert.notDeepEqual(await page.screenshot({ clip }), shaded);
  await page.browserContext().close();
});

browserTest("who comes back to a list finds it where it was scrolled to", async () => {
  const page = await browser().open(SIGHTS.wide);
  await page.goto(`${service().url}/db/Demo/Customer.html?limit=100`, { waitUntil: "load" });
  const place = `(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])(document.querySelector(".tall"))`;
  await page.evaluate(`document.querySelector(".tall").scrollTo(50, 900)`);
  assert.deepEqual(await page.evaluate(place), [50, 900]);
  const arrival = page.waitForNavigation({ waitUntil: "load" });
  await page.evaluate(`document.querySelectorAll("td.first > a")[30].click()`);
  await arrival;
  await page.goBack({ waitUntil: "load" });
  assert.deepEqual(await page.evaluate(place), [50, 900]);
  await page.goto(`${service().url}/db/Demo/Customer.html?limit=100`, { waitUntil: "load" });
  assert.deepEqual(
    await page.evaluate(place),
    [0, 0],
    "a list that is opened anew begins at its beginning",
  );
  await page.browserContext().close();
});
