/** @module What people set in their system: less motion, colours of their own; and the smallest screen. */

import assert from "node:assert/strict";
import {
  browserTest,
  emulate,
  type Page,
  sharedBrowser,
  type Sight,
  SIGHTS,
} from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";
import { PAGES, visit } from "./pages.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

const PATHS = [
  "/",
  "/db/Demo/Vessel.html?limit=9",
  "/db/Demo/Port/PortId/1.html?ui.edit",
  "/querydef.html?ui.new",
];

/** The elements that fade or move. */
const MOVING = `[...document.querySelectorAll("*")].filter((element) => {
  const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
  const lasts = transitionDuration.split(", ").some((time) => parseFloat(time) > 0);
  return lasts || animationName !== "none" || scrollBehavior === "smooth";
}).map(({ outerHTML }) => outerHTML.slice(0, 100))`;

/** Buttons and fields that have no border: the system's colours leave no other difference to plain text. */
const BORDERLESS = `[...document.querySelectorAll("button, .button, .chip, input, select, textarea")]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.type !== "checkbox" &&
    element.type !== "radio" && !["solid", "inset", "outset"].includes(getComputedStyle(element).borderTopStyle))
  .map(({ outerHTML }) => outerHTML.slice(0, 100))`;

/** Whether the focused element is marked otherwise than by a shadow, which the system's colours remove. */
const IS_MARKED = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return document.activeElement !== document.body && outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
})()`;

/** Looks at each of these pages as admin. */
async function lookAt(
  look: (page: Page, path: string) => Promise<void>,
  { sight = SIGHTS.wide, paths = PATHS }: { readonly sight?: Sight; readonly paths?: readonly string[] } = {},
): Promise<void> {
  const page = await browser().open(sight);
  await signIn(page, "admin", service());
  for (const path of paths) {
    await page.goto(service().url + path, { waitUntil: "load" });
    await look(page, path);
  }
}

browserTest("nothing moves for people who want no motion", () =>
  lookAt(async (page, path) => {
    await emulate(page, { "prefers-reduced-motion": "no-preference" });
    const moving = await page.evaluate(MOVING) as readonly string[];
    assert.ok(moving.length > 0, path);
    await emulate(page, { "prefers-reduced-motion": "reduce" });
    assert.deepEqual(await page.evaluate(MOVING), [], path);
  }));

browserTest(
  "buttons, fields and the focus are seen in the system's own colours",
  () =>
    lookAt(async (page, path) => {
      await emulate(page, { "forced-colors": "active" });
      assert.equal(await page.evaluate("matchMedia('(forced-colors: active)').matches"), true);
      assert.deepEqual(await page.evaluate(BORDERLESS), [], path);
      for (let stop = 0; stop < 12; stop++) {
        await page.keyboard.press("Tab");
        const element = await page.evaluate("document.activeElement.outerHTML.slice(0, 100)");
        assert.equal(await page.evaluate(IS_MARKED), true, `${path}: ${element}`);
      }
    }),
);

browserTest("an answer in the explorer of the API stands on one ground in the dark", async () => {
  const page = await browser().open(SIGHTS.dark);
  const known = PAGES.find(({ name }) => name === "api-database");
  assert.ok(known);
  await visit(page, service().url + known.path, known);
  const grounds = await page.evaluate(`[...document.querySelectorAll(".live-responses-table pre span")]
      .map((span) => getComputedStyle(span).backgroundColor)`) as readonly string[];
  assert.deepEqual([...new Set(grounds)], ["rgba(0, 0, 0, 0)"]);
});

/** Fields whose text has another direction than its first letter asks for. */
const TURNED = `[...document.querySelectorAll("main input:not([type=hidden]), textarea")]
  .filter((field) => getComputedStyle(field).unicodeBidi !== "plaintext").map(({ outerHTML }) => outerHTML)`;

browserTest(
  "a text is written in a field in the direction in which a list shows it",
  () =>
    lookAt(async (page) => assert.deepEqual(await page.evaluate(TURNED), []), {
      paths: ["/db/Odd/Odd/Id/rtl.html?ui.edit", "/db/Odd/Odd.html?ui.filter=Name"],
    }),
);

browserTest(
  "browsers do not look for the direction of a line of a megabyte, which takes seconds for each key",
  () =>
    lookAt(async (page) => {
      const found = await page.evaluate(
        `["Name", "Note"].map((name) => getComputedStyle(document.querySelector(\`[name="c.\${name}"]\`)).unicodeBidi)`,
      );
      assert.deepEqual(found, ["plaintext", "isolate"]);
    }, { paths: ["/db/Odd/Odd/Id/long.html?ui.edit"] }),
);

/** The words of labels that are broken in two. */
const BROKEN = `[...document.querySelectorAll("dt")].flatMap(({ firstChild }) => {
  return [...(firstChild?.data ?? "").matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(firstChild, index);
    range.setEnd(firstChild, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word);
})`;

/** Switches that have lost their shape. */
const SQUEEZED = `[...document.querySelectorAll("[type=checkbox], [type=radio]")]
  .filter(({ offsetWidth, offsetHeight }) => offsetWidth !== offsetHeight).map(({ name }) => name)`;

browserTest(
  "at 320 pixels labels have whole words, and switches their shape",
  () =>
    lookAt(async (page, path) => {
      assert.deepEqual(await page.evaluate(BROKEN), [], path);
      assert.deepEqual(await page.evaluate(SQUEEZED), [], path);
    }, {
      sight: SIGHTS.narrow,
      paths: ["/dbdef/Demo.html", "/db/Demo/Port/PortId/1.html", "/userdef/reader.html?ui.edit"],
    }),
);

/** The colours of an example in an empty field, and of other text that stands back, which axe judges. */
const QUIET = `[getComputedStyle(document.querySelector("#find"), "::placeholder").color,
  getComputedStyle(document.querySelector(".crumbs")).color]`;

browserTest(
  "in the dark an example in an empty field is as bright as other text that stands back",
  () =>
    lookAt(async (page) => {
      const [example, quiet] = await page.evaluate(QUIET) as readonly string[];
      assert.equal(example, quiet);
    }, { sight: SIGHTS.dark, paths: ["/db/Demo.html"] }),
);
