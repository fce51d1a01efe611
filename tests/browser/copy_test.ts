import assert from "node:assert/strict";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions } from "./house.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

/** A page that came without TLS from another machine. */
const INSECURE = `window.clipboardOfTest = navigator.clipboard;
Object.defineProperty(navigator, "clipboard", { value: undefined });`;

browserTest(
  "requests for programs are copied, with and without the clipboard of secure pages",
  async (test) => {
    for (const [index, [name, script]] of Object.entries({ secure: "", insecure: INSECURE }).entries()) {
      // Each copies something else.
      const limit = index + 5;
      await test.step(name, async () => {
        const page = await browser().open(SIGHTS.wide);
        const context = page.browserContext();
        await context.overridePermissions(service().url, ["clipboard-read", "clipboard-sanitized-write"]);
        await page.evaluateOnNewDocument(script);
        await page.goto(`${service().url}/db/Demo/Fare.html?limit=${limit}`, { waitUntil: "load" });
        await page.locator("details.fold > summary").click();
        await page.locator('.copy[data-label="curl"] > button').click();
        await page.locator("button::-p-text(Copied)").wait();
        await page.locator("output::-p-text(Copied)").wait();
        const copied = await page.evaluate("(window.clipboardOfTest ?? navigator.clipboard).readText()");
        assert.equal(copied, `curl '${service().url}/db/Demo/Fare.json?limit=${limit}'`);
        await context.close();
      });
    }
  },
);

browserTest("the header of a list is copied as the plain names of its columns", async () => {
  const page = await browser().open(SIGHTS.wide);
  await page.goto(`${service().url}/db/Demo/VesselAmenity.html?limit=1`, { waitUntil: "load" });
  const copied = await page.evaluate(`{
      getSelection().selectAllChildren(document.querySelector("section.scroll thead"));
      getSelection().toString();
    }`);
  assert.equal(copied, "Record\tVesselId\tAmenityId");
});
