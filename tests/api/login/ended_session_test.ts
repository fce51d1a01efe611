import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { Browser, browserOf, hiddenFields, homeOf, PASSWORD, sessionOf } from "./home.ts";

const service = sharedService(homeOf());

const ENDED = "Your session has ended: log in again";

Deno.test("a session that has ended says so on pages and in the Warning header, and in errors", async () => {
  const browser = await browserOf(service(), "anna", PASSWORD);
  const before = await browser.get("/db.html");
  assert.equal(before.headers.get("warning"), null);
  const stale = `auth_tkt=${browser.cookies.get("auth_tkt")}`;
  assert.equal((await browser.get("/logout")).status, 302);
  const page = await service().fetch("/db.html", { headers: { Cookie: stale, Accept: "text/html" } });
  assert.deepEqual([page.status, page.headers.get("warning")], [200, ENDED]);
  assert.match(await page.text(), new RegExp(`role="status">${ENDED}<`));
  const json = await service().fetch("/db.json", { headers: { Cookie: stale } });
  await json.body?.cancel();
  assert.deepEqual([json.status, json.headers.get("warning")], [200, ENDED]);
  assert.match(json.headers.getSetCookie().join(), /^auth_tkt=;.*Max-Age=0/);
  const refused = await service().fetch("/userdef/anna.json", { headers: { Cookie: stale } });
  const { description } = await refused.json();
  const words = `${ENDED}. User "public" may not see "/userdef/anna": log in, or resend with a valid API key`;
  assert.deepEqual([refused.status, description, refused.headers.get("warning")], [403, words, words]);
  const without = await service().fetch("/db.json");
  await without.body?.cancel();
  assert.equal(without.headers.get("warning"), null);
});

Deno.test("a page that refuses somebody who is signed in says whom to ask; programs keep the usual words", async () => {
  const Cookie = await sessionOf(service(), "anna", PASSWORD);
  const page = await service().fetch("/userdef/bert", { headers: { Cookie, Accept: "text/html" } });
  assert.equal(page.status, 403);
  const text = await page.text();
  assert.match(text, /Ask the administrator of this service for the right/);
  assert.doesNotMatch(text, /log in, or resend|>Log in</);
  assert.match(page.headers.get("warning") ?? "", /: log in, or resend with a valid API key/);
  const admins = await sessionOf(service(), "admin", `${PASSWORD}-admin`);
  const own = await service().fetch("/db/Demo.html", { headers: { Cookie: admins } });
  assert.equal(own.status, 403);
  assert.match(
    await own.text(),
    /<a class="button main" href="\/userdef\/admin.html\?ui.edit">Give me access<\/a>/,
  );
});

Deno.test("a form that is sent without its session keeps what was typed until its sender has logged in again", async () => {
  const browser = new Browser(service());
  const enter = async () => {
    const login = await browser.get("/login");
    await browser.post("/login", { ...hiddenFields(login.text), login: "anna", password: PASSWORD });
  };
  await enter();
  const form = hiddenFields((await browser.get("/userdef/anna.html?ui.edit")).text);
  await browser.get("/logout");
  const typed = { ...form, "s.name": "Anna <Typed>", "p.password": "", "p.current_password": PASSWORD };
  const kept = await browser.post("/ui/userdef/anna", typed);
  assert.equal(kept.status, 403);
  assert.match(kept.text, /Nothing has been changed.*target="_blank">Log in<.*name: Anna &lt;Typed&gt;/s);
  assert.match(kept.text, /type="password"[^>]* name="p\.current_password"[^>]*required/);
  assert.ok(!kept.text.includes(PASSWORD));
  await enter();
  const fields = { ...hiddenFields(kept.text), "p.current_password": PASSWORD };
  const saved = await browser.post("/ui/userdef/anna", { ...fields, "s.name": "Anna Typed" });
  assert.deepEqual([saved.status, saved.headers.get("location")], [
    303,
    "/userdef/anna.html?ui.done=changed",
  ]);
  assert.match((await browser.get("/userdef/anna.html")).text, /Anna Typed/);
});
