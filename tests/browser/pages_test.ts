import assert from "node:assert/strict";
import { HAS_CHROMIUM, SIGHTS, TestBrowser } from "@/tests/support/browser/chromium.ts";
import { axeFindings, htmlFindings, scrollsSideways, Watch } from "@/tests/support/browser/judge.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, PEOPLE, signIn } from "./house.ts";
import { PAGES, visit } from "./pages.ts";

const service = sharedService(houseOptions());

/** Both widths and both colours, without looking at every pair of them. */
const LOOKS = {
  "wide, in the light": SIGHTS.wide,
  "on a phone, in the dark": { ...SIGHTS.phone, isDark: true as const },
};

for (const [name, sight] of Object.entries(LOOKS)) {
  Deno.test({
    name: `every page is for everybody (${name})`,
    ignore: !HAS_CHROMIUM,
    async fn(test) {
      await using browser = await TestBrowser.start();
      for (const person of PEOPLE) {
        const page = await browser.open(sight);
        await signIn(page, person, service());
        const watch = new Watch(page, service().url);
        for (const known of PAGES.filter((each) => each.person === person)) {
          await test.step(`${known.name} of ${person}`, async () => {
            watch.complaints.length = 0;
            const answer = await visit(page, service().url + known.path, known);
            assert.equal(answer?.status(), known.status ?? 200);
            const html = sight === LOOKS["wide, in the light"]
              ? await htmlFindings(await answer?.text() ?? "")
              : [];
            const sideways = await scrollsSideways(page) ? ["the page scrolls sideways"] : [];
            const title = await page.title();
            const untitled = title.split(" · ").length < 2 && known.path !== "/"
              ? [`the title is ${title}`]
              : [];
            const findings = [
              ...html,
              ...await axeFindings(page),
              ...sideways,
              ...untitled,
              ...watch.complaints,
            ];
            assert.deepEqual(findings, []);
          });
        }
      }
    },
  });
}
