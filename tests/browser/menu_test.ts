import assert from "node:assert/strict";
import { homeOf, PASSWORD, sessionOf } from "@/tests/api/login/home.ts";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { houseOptions, signIn } from "./house.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

browserTest("an open menu is on the screen, however narrow that is", async () => {
  const page = await browser().open({ width: 390, height: 844 });
  await signIn(page, "admin", service());
  for (const width of [390, 320]) {
    await page.setViewport({ width, height: 844 });
    await page.goto(`${service().url}/`, { waitUntil: "load" });
    await page.locator("header .menu summary").click();
    const menu = await page.waitForSelector("header .menu [open] > ul", { visible: true });
    const box = await menu?.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify({ width, box }));
  }
});

browserTest("the bar of a tablet has one line: the field to find something shrinks", async () => {
  for (const [person, width] of [["public", 700], ["admin", 900]] as const) {
    const page = await browser().open({ width, height: 900 });
    await signIn(page, person, service());
    await page.goto(`${service().url}/`, { waitUntil: "load" });
    const ends =
      "[...document.querySelectorAll('.brand, .find')].map((each) => each.getBoundingClientRect().bottom)";
    const [brand = 0, find = 0] = await page.evaluate(ends) as number[];
    assert.ok(Math.abs(brand - find) < 20, `${person}: ${brand} and ${find}`);
  }
});

browserTest("the bar of a phone has room for a long login", async () => {
  const login = "maximilian_oberhuber@subsidiary-example-com";
  await using home = await startService(homeOf({ users: `admin: {}\n${login}: {password: ${PASSWORD}}\n` }));
  const page = await browser().open(SIGHTS.phone);
  const value = (await sessionOf(home, login, PASSWORD)).replace(/^auth_tkt=/, "");
  await page.browserContext().setCookie({ name: "auth_tkt", value, domain: "127.0.0.1", path: "/" });
  for (const width of [390, 320]) {
    await page.setViewport({ width, height: 844 });
    await page.goto(home.url, { waitUntil: "load" });
    const places = await page.evaluate(
      `[...document.querySelectorAll(".brand, .find, .account summary")].map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom };
      })`,
    ) as { left: number; right: number; top: number; bottom: number }[];
    assert.equal(places.length, 3);
    for (const [index, one] of places.entries()) {
      const context = `${width}: ${JSON.stringify(places)}`;
      assert.ok(one.left >= 0 && one.right <= width, context);
      for (const other of places.slice(index + 1)) {
        const isApart = one.right <= other.left || other.right <= one.left || one.bottom <= other.top;
        assert.ok(isApart, context);
      }
    }
  }
});

const IS_IN_FRONT = `(() => {
  const { left, top } = document.activeElement.getBoundingClientRect();
  return document.elementFromPoint(left + 8, top + 8) === document.activeElement;
})()`;

browserTest(
  "a few of many columns are chosen from none, and then all, with a button that stays in sight",
  async () => {
    const page = await browser().open({ width: 1280, height: 900 });
    await page.goto(`${service().url}/db/Odd/Wide.html?limit=2`, { waitUntil: "load" });
    await page.locator("summary ::-p-text(Columns)").click();
    for (let tab = 0; tab < 100; tab++) {
      await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(IS_IN_FRONT), `box ${tab}`);
    }
    await page.locator(".picker + .buttons button ::-p-text(None)").click();
    await page.locator(".picker + .buttons .main").click();
    assert.equal(
      await page.evaluate("document.activeElement.validationMessage"),
      "Choose at least one column.",
    );
    await page.locator('.picker input[value="C3"]').click();
    const sent = page.waitForNavigation({ waitUntil: "load" });
    const show = await page.waitForSelector(".picker + .buttons .main");
    const box = await show?.boundingBox();
    assert.ok(box && box.y + box.height < 900, JSON.stringify(box));
    await show?.click();
    await sent;
    assert.equal(new URL(page.url()).pathname, "/db/Odd/Wide/C3.html");
    await page.locator("summary ::-p-text(Columns)").click();
    await page.locator(".picker + .buttons button ::-p-text(All)").click();
    const whole = page.waitForNavigation({ waitUntil: "load" });
    await (await page.waitForSelector(".picker + .buttons .main"))?.click();
    await whole;
    assert.equal(new URL(page.url()).pathname, "/db/Odd/Wide.html");
  },
);

browserTest("a panel stays open while a text in it is selected to beyond its edge", async () => {
  const page = await browser().open({ width: 1280, height: 900 });
  await page.goto(`${service().url}/db/Demo/Port.html?limit=2`, { waitUntil: "load" });
  await page.locator("summary ::-p-text(Filter)").click();
  await page.locator("#filter-value").fill("Bergen");
  const { x = 0, y = 0 } = await (await page.$("#filter-value"))?.boundingBox() ?? {};
  await page.mouse.move(x + 80, y + 10);
  await page.mouse.down();
  await page.mouse.move(x, y + 300);
  await page.mouse.up();
  assert.ok(await page.$(".panel[open]"));
  await page.mouse.click(x, y + 300);
  assert.equal(await page.$(".panel[open]"), null);
});

browserTest("the whole menu of a column is in a window that is zoomed in", async () => {
  const page = await browser().open({ width: 640, height: 360 });
  for (const path of ["/db/Demo/Port.html?limit=9&sort=Name", "/db/Odd/Wide.html?limit=9&sort=C1"]) {
    await page.goto(service().url + path, { waitUntil: "load" });
    await page.locator("th .plain").click();
    const menu = await page.waitForSelector(".popover:popover-open");
    const { y = 0, height = 0 } = await menu?.boundingBox() ?? {};
    assert.ok(y >= 0 && height > 0 && y + height <= 360, `${path}: ${y} and ${height}`);
  }
});
