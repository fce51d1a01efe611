import assert from "node:assert/strict";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

browserTest(
  "a right that is added to a table comes to those of all others; a table as all others has none of its own",
  async () => {
    const page = await browser().open(SIGHTS.wide);
    await signIn(page, "admin", service());
    await page.goto(`${service().url}/userdef/reader.html?ui.edit`, { waitUntil: "load" });
    const name = JSON.stringify(`m.${JSON.stringify(["Demo", "Port"])}`);
    const on = () =>
      page.evaluate(
        `[...document.getElementsByName(${name})].filter((each) => each.checked).map((each) => each.value)`,
      );
    const click = (value: string) =>
      page.evaluate(
        `[...document.getElementsByName(${name})].find((each) => each.value === ${
          JSON.stringify(value)
        }).click()`,
      );
    assert.deepEqual(await on(), ["same"]);
    await click("update");
    assert.deepEqual(await on(), ["read", "update"]);
    await click("read");
    assert.deepEqual(await on(), ["update"]);
    await click("same");
    assert.deepEqual(await on(), ["same"]);
    await click("same");
    assert.deepEqual(await on(), []);
  },
);

browserTest(
  "the rights on tables are out of sight while a user has every right, and are all on when it loses some",
  async () => {
    const page = await browser().open(SIGHTS.wide);
    await signIn(page, "admin", service());
    await page.goto(`${service().url}/userdef/editor.html?ui.edit`, { waitUntil: "load" });
    const matrix = await page.$("table.matrix");
    assert.ok(matrix);
    assert.equal(await matrix.isVisible(), false);
    await page.click('[name="ui.all"][value="Demo"]');
    assert.equal(await matrix.isVisible(), true);
    const name = JSON.stringify(`m.${JSON.stringify(["Demo", "*"])}`);
    const others = `[...document.getElementsByName(${name})].map(({ value, checked }) => checked && value)`;
    assert.deepEqual(await page.evaluate(others), ["read", "create", "update", "delete"]);
  },
);
