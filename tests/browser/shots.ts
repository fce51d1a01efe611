/**
 * Writes a screenshot of every page: `deno task shots FOLDER [PART OF A NAME]`.
 *
 * @module
 */

import { join } from "node:path";
import { type Page, SIGHTS, TestBrowser } from "@/tests/support/browser/chromium.ts";
import { startService } from "@/tests/support/service.ts";
import { houseOptions, PEOPLE, signIn } from "./house.ts";
import { PAGES, visit } from "./pages.ts";

const [folder = "shots", part = ""] = Deno.args;
await Deno.mkdir(folder, { recursive: true });
await using service = await startService(houseOptions());
await using fresh = await startService();
await using browser = await TestBrowser.start();
for (
  const [sight, size] of Object.entries({
    wide: SIGHTS.wide,
    "wide-dark": { ...SIGHTS.wide, isDark: true as const },
    phone: SIGHTS.phone,
    "phone-dark": { ...SIGHTS.phone, isDark: true as const },
  })
) {
  if ("first-run".includes(part)) {
    const page = await browser.open(size);
    await page.goto(`${fresh.url}/first-run`, { waitUntil: "load" });
    await shoot(page, `first-run-${sight}`);
  }
  for (const person of PEOPLE) {
    const page = await browser.open(size);
    // A form that a shot has filled in asks before it is left.
    page.on("dialog", (dialog) => void dialog.accept());
    await signIn(page, person, service);
    for (const known of PAGES.filter((each) => each.person === person && each.name.includes(part))) {
      await visit(page, service.url + known.path, known);
      await shoot(page, `${known.name}-${sight}`);
    }
  }
}

async function shoot(page: Page, name: string): Promise<void> {
  const image = await page.screenshot({ fullPage: false });
  await Deno.writeFile(join(folder, `${name}.png`), new Uint8Array(image));
}
