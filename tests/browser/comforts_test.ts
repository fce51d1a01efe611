/** @module Comforts that only the script of the pages gives; the colour of charts. */

import assert from "node:assert/strict";
import { browserTest, type Page, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";
import { Traveller, WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

browserTest(
  "a slash finds, a changed form is not left unasked, SQL is checked while one types, activity goes on",
  async (test) => {
    const page = await browser().open(SIGHTS.wide);
    await signIn(page, "admin", service());
    const traveller = new Traveller(page, service().url, "mouse");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });

    await test.step("slash", async () => {
      await traveller.go("/db/Demo.html");
      await page.keyboard.type("/port/");
      assert.equal(await page.evaluate("document.activeElement.id"), "find");
      assert.equal(await traveller.valueOf("ui.find"), "port/");
    });

    await test.step("a slash in SQL", async () => {
      await traveller.go("/querydef.html?ui.new");
      await (await page.waitForSelector(">>> .cm-content"))?.click();
      await page.keyboard.type("SELECT 10/2");
      assert.equal(await traveller.valueOf("s.sqlstr"), "SELECT 10/2");
      await traveller.go("/db/Demo.html");
      assert.deepEqual(asked.splice(0), ["beforeunload"]);
    });

    await test.step("a form whose answer is a file is sent again soon, but not by a double click", async () => {
      await traveller.go("/query/cheap-fares.html");
      const sends = (as: string, times: readonly number[]) =>
        page.evaluate(`(() => {
          const form = document.querySelector("form[data-guard]");
          form.elements.namedItem("ui.as").value = "${as}";
          return ${JSON.stringify(times)}.map((timeStamp) => {
            const event = new SubmitEvent("submit", { cancelable: true });
            Object.defineProperty(event, "timeStamp", { value: timeStamp });
            return form.dispatchEvent(event);
          });
        })()`);
      assert.deepEqual(await sends("csv", [100_000, 100_400, 101_500]), [true, false, true]);
      assert.deepEqual(await sends("", [200_000, 201_500, 210_500]), [true, false, true]);
    });

    await test.step("changed form", async () => {
      await traveller.go("/db/Demo/Port/PortId/1.html?ui.edit");
      await traveller.go("/db/Demo/Port/PortId/1.html?ui.edit");
      assert.deepEqual(asked, [], "nothing was changed");
      await traveller.fill("c.LocalName", "Bjørgvin");
      await traveller.go("/db/Demo.html");
      assert.deepEqual(asked.splice(0), ["beforeunload"]);
    });

    await test.step("refused form", async () => {
      await traveller.go("/db/Demo/Port/PortId/1.html?ui.edit");
      await traveller.fill("c.Latitude", "north");
      await traveller.follow("Save", "button");
      assert.deepEqual(asked, [], "the form is sent");
      assert.match(await traveller.text(), /'north' is not/);
      // Browsers ask people only who have done something on the page.
      await page.keyboard.press("ArrowLeft");
      await traveller.go("/db/Demo.html");
      assert.deepEqual(asked.splice(0), ["beforeunload"]);
    });

    await test.step("a form that comes back without a mistake is not left unasked, either", async () => {
      await traveller.go("/db/Demo/Vessel.html?ui.import");
      await traveller.fill("ui.csv", "Name,Seats\nSkarv,5");
      await traveller.follow("Look at the first rows", "button");
      await page.keyboard.press("ArrowLeft");
      await traveller.go("/db/Demo.html");
      assert.deepEqual(asked.splice(0), ["beforeunload"]);
    });

    await test.step("a question and the form of a query that come back have nothing to keep", async () => {
      await traveller.go("/db/Demo/Country/CountryCode/NO.html?ui.delete");
      await traveller.follow("Delete", "button");
      assert.match(await traveller.text(), /The database refuses this/);
      const above = `document.querySelector(".notice").getBoundingClientRect().top -
        document.querySelector(".facts").getBoundingClientRect().bottom`;
      assert.ok(Number(await page.evaluate(above)) > 10, "the refusal does not touch what is above it");
      await page.keyboard.press("ArrowLeft");
      await traveller.go("/query/cheap-fares.html");
      await traveller.fill("s.most", "4");
      await traveller.go("/query/cheap-fares.html");
      await traveller.fill("s.most", "5");
      await traveller.follow("Run", "button");
      await page.keyboard.press("ArrowLeft");
      await traveller.go("/db/Demo.html");
      assert.deepEqual(asked, []);
    });

    await test.step("NULL", async () => {
      await traveller.go("/db/Demo/Port/PortId/1.html?ui.edit");
      const isNull = () => page.evaluate(`document.querySelector('[name="n.Notes"]').checked`);
      await traveller.turn("n.Notes", "true");
      assert.equal(await isNull(), true);
      await traveller.fill("c.Notes", "Third quay");
      assert.equal(await isNull(), false, "a field with a text is not NULL");
      await traveller.turn("n.Notes", "true");
      assert.equal(await traveller.valueOf("c.Notes"), "");
    });

    await test.step("SQL", async () => {
      await traveller.go("/querydef/bookings-by-year.html?ui.edit");
      const before = await page.evaluate(BUTTON);
      await traveller.fill("s.sqlstr", "SELECT Nmäe FROM Vessel");
      const mistake = await page.waitForSelector(">>> .cm-lintRange-error");
      assert.equal(await (await mistake?.getProperty("textContent"))?.jsonValue(), "Nmäe");
      await page.waitForSelector(".editor + [role=status]::-p-text(Nmäe)");
      assert.equal(await page.evaluate(BUTTON), before, "the buttons do not move");
    });

    await test.step("SQL whose check is slow", async () => {
      await page.evaluate(`{
        const send = fetch;
        let count = 0;
        globalThis.fetch = async (...given) => {
          const isFirst = count++ === 0;
          const answer = await send(...given);
          if (isFirst) await new Promise((resolve) => setTimeout(resolve, 3000));
          return answer;
        };
      }`);
      await traveller.fill("s.sqlstr", "SELECT Seats FROM Vessel");
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await traveller.fill("s.sqlstr", "SELECT Name FROM Vessel");
      await page.waitForSelector(".editor + [role=status]::-p-text(Columns: Name)");
      await new Promise((resolve) => setTimeout(resolve, 3000));
      assert.match(await traveller.textOf(".editor + [role=status]"), /^Columns: Name\./);
    });

    await test.step("SQL that changes data", async () => {
      await traveller.fill("s.sqlstr", "DELETE FROM Vessel WHERE VesselId = 0");
      await page.waitForSelector(
        ".editor + [role=status]::-p-text(the statement changes data, which GET may not)",
      );
      await traveller.turn("o.http_methods", "POST");
      await page.waitForFunction(
        `document.querySelector(".editor + [role=status]").textContent === "The database accepts it."`,
      );
    });

    await test.step("no SQL", async () => {
      await traveller.go("/querydef.html?ui.new");
      await traveller.fill("s.query_id", "nothing");
      const gap = `(({ shadowRoot }) => shadowRoot.querySelector(".cm-content").offsetHeight -
        shadowRoot.querySelector(".cm-gutters").offsetHeight)(document.querySelector(".editor"))`;
      assert.equal(
        await page.evaluate(gap),
        0,
        "the numbers of lines have their ground beside all of the text",
      );
      const whole = await page.evaluate(LOOK);
      await traveller.follow("Create", "button");
      const refused = await page.evaluate(LOOK) as Look;
      assert.match(refused.described, /^Parameters are written like :year.*Is required, found nothing$/);
      assert.deepEqual({ ...refused, described: "" }, {
        border: await page.evaluate(`getComputedStyle(document.querySelector(".complaint")).color`),
        next: "complaint",
        required: "true",
        invalid: "true",
        described: "",
      });
      await traveller.fill("s.sqlstr", "SELECT 1 AS one");
      await page.waitForSelector(".editor + [role=status]::-p-text(Columns: one)");
      assert.deepEqual(await page.evaluate(LOOK), whole);
      assert.equal(await page.evaluate(`document.querySelector(".complaint")`), null);
    });

    await test.step("activity", async () => {
      await traveller.go("/reqstatus.html");
      await page.waitForNavigation({ waitUntil: "load" });
      assert.equal(traveller.path, "/reqstatus.html");
    });

    await test.step("activity, while the keyboard has the focus", async () => {
      await page.evaluate(`document.querySelector(".brand").focus()`);
      await page.keyboard.press("Tab");
      const focused = await page.evaluate("document.activeElement.textContent");
      await new Promise((resolve) => setTimeout(resolve, 6000));
      assert.equal(await page.evaluate("document.activeElement.textContent"), focused);
    });

    await test.step("activity, while a menu is open", async () => {
      await traveller.go("/reqstatus.html");
      await traveller.unfold("Administration");
      await new Promise((resolve) => setTimeout(resolve, 6000));
      assert.ok(await traveller.sees("header .menu [open] a"));
    });
    await page.browserContext().close();
  },
);

/** The editor of SQL for people and for assistive technologies. */
interface Look {
  readonly described: string;
}

const LOOK = `(() => {
  const editor = document.querySelector(".editor");
  const content = editor.shadowRoot.querySelector(".cm-content");
  return {
    border: getComputedStyle(editor).borderTopColor,
    next: editor.nextElementSibling.className,
    required: content.getAttribute("aria-required"),
    invalid: content.getAttribute("aria-invalid"),
    described: editor.shadowRoot.getElementById(content.getAttribute("aria-describedby")).textContent,
  };
})()`;

/** Pixels from the begin of the editor of SQL to the button below it. */
const BUTTON = `document.querySelector('button[name="ui.check"]').getBoundingClientRect().top -
  document.querySelector(".editor").getBoundingClientRect().top`;

/** Forms with a button for a trial, the values that it needs, and a part of its answer. */
const TRIALS = [
  {
    path: "/querydef/bookings-by-year.html?ui.edit",
    button: 'button[value="run"]',
    fills: { "ui.arg.year": "2025" },
    answer: "main form td::-p-text(2025-02-18)",
  },
  {
    path: "/dbdef/Odd.html?ui.edit",
    button: 'button[name="ui.check"]',
    fills: {},
    answer: "main form [role=status]",
  },
];

/** The pixels between the last field and the answer below it. */
const GAP = `document.querySelector("main form > .notice").getBoundingClientRect().top -
  document.querySelector("main form > .fields").getBoundingClientRect().bottom`;

for (const way of ["mouse", "no script", "phone"] as const) {
  browserTest(`the answer to a trial is in sight: ${way}`, async () => {
    const page = await browser().open(WAYS[way]);
    // Browsers ask before a form is left that has been tried, but not stored.
    page.on("dialog", (dialog) => void dialog.accept());
    await signIn(page, "admin", service());
    const traveller = new Traveller(page, service().url, "mouse");
    for (const { path, button, fills, answer } of TRIALS) {
      await traveller.go(path);
      for (const [name, value] of Object.entries(fills)) await traveller.fill(name, value);
      await traveller.press(button);
      const part = await page.waitForSelector(answer);
      assert.equal(await part?.isIntersectingViewport(), true, answer);
      assert.ok(await page.evaluate(GAP) as number >= 8, path);
    }
    await traveller.go("/dbdef.html?ui.new");
    await traveller.choose("s.db_type", "postgresql");
    await traveller.fill("i.db_port", "many");
    await traveller.press('button[name="ui.check"]');
    const complaint = await page.waitForSelector('[name="i.db_port"][aria-invalid]');
    assert.equal(await complaint?.isIntersectingViewport(), true, "a mistake is in sight, too");
  });
}

browserTest("a list does not move when the script shows the box that narrows it", async () => {
  const topOf = async (page: Page) => {
    await page.goto(`${service().url}/db/Demo.html`, { waitUntil: "load" });
    return await page.evaluate(`[document.querySelector("[data-narrow]").checkVisibility(
        { visibilityProperty: true }), document.querySelector(".scroll").getBoundingClientRect().top]`);
  };
  const early = await browser().open(SIGHTS.phone);
  await early.setRequestInterception(true);
  early.on("request", (request) => {
    void (request.url().endsWith("/page.js") ? request.abort() : request.continue());
  });
  const [, top] = await topOf(early) as [boolean, number];
  assert.deepEqual(await topOf(await browser().open(SIGHTS.phone)), [true, top]);
});

/** Parts of charts by the addresses of these. */
const MARKS = {
  "/db/Demo/Vessel.html?ui.chart=bar&ui.x=Name": "path",
  "/db/Demo/Booking.html?ui.chart=line&ui.x=BookedAt": "circle",
  "/db/Demo/Ticket.html?ui.chart=scatter&ui.x=Price&ui.y=Charged": "circle",
};

browserTest("bars, lines and points have the colour of buttons", async () => {
  const page = await browser().open(SIGHTS.dark);
  for (const [chart, mark] of Object.entries(MARKS)) {
    await page.goto(service().url + chart, { waitUntil: "load" });
    const [shown, wanted] = await page.evaluate(`[
        getComputedStyle(document.querySelector(".role-mark ${mark}")).fill,
        getComputedStyle(document.querySelector("button.main")).backgroundColor,
      ]`) as readonly string[];
    assert.equal(shown, wanted, chart);
  }
});
