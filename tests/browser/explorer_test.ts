/** @module The explorer of the API shows texts of others, and nothing in them acts. */

import assert from "node:assert/strict";
import { homeOf, PASSWORD, sessionOf } from "@/tests/api/login/home.ts";
import { browserTest, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { sharedService } from "@/tests/support/service.ts";

const home = homeOf({
  users: `admin: {password: ${PASSWORD}-admin, databases: {Demo: {}}}
clerk: {password: ${PASSWORD}-clerk}
`,
});
const file = "db_type: sqlite, db_name: ../state/demo.db";
const databases = `Demo: {${file}, write: [clerk]}\nOther: {${file}}\n`;
const service = sharedService({ ...home, files: { ...home.files, "config/databases.cfg": databases } });
const browser = sharedBrowser();

browserTest(
  "attack: the description of a database does nothing with the session of who reads it",
  async () => {
    const order = "/unload-model/Other.json";
    const desc = `![a](${order}) <img src="${order}"> [b](${order})`;
    const changed = await service().fetch("/dbdef/Demo.json", {
      method: "PUT",
      headers: {
        Cookie: await sessionOf(service(), "clerk", `${PASSWORD}-clerk`),
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ desc }),
    });
    assert.equal(changed.status, 204);
    const Cookie = await sessionOf(service(), "admin", `${PASSWORD}-admin`);
    const page = await browser().open(SIGHTS.wide);
    const [name = "", value = ""] = Cookie.split("=");
    await page.browserContext().setCookie({ name, value, domain: "127.0.0.1", path: "/" });
    await page.goto(`${service().url}/openapi/Demo.html`, { waitUntil: "load" });
    await page.waitForSelector(".opblock-tag small");
    assert.equal(await page.evaluate("document.querySelector('.opblock-tag small').textContent"), desc);
    assert.equal(await page.evaluate("document.querySelectorAll('.explorer :is(img, small a)').length"), 0);
    const state = await service().fetch("/settings/reflect-status/Other.json", { headers: { Cookie } });
    assert.equal((await state.json()).model, "Connected");
  },
);
