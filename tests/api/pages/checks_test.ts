/** @module Forms that only test what was typed store nothing, also where it could be stored. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { makePrivateKey, publicKeyOf, signLicence } from "@/core/identity/licence.ts";
import { browserOf, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { startService } from "@/tests/support/service.ts";

const KEY = makePrivateKey();
const LICENCE = signLicence({
  licensee: "Example Ferries",
  edition: "enterprise",
  exp: Math.floor(Date.now() / 1000) + 86_400,
  features: [],
}, KEY);
const SQL = "SELECT Name FROM Port WHERE CountryCode = :country";
const TRIAL = { "s.sqlstr": SQL, "ui.arg.country": "NO" };
const OTHER = { "s.sqlstr": "SELECT Name FROM Port WHERE Notes IS NOT :year", "ui.arg.year": "2025" };
const UNKNOWN = {
  "s.sqlstr": "SELECT 'None' AS Found WHERE :year IS NULL",
  "ui.arg.year": "2025",
  "ui.null.year": "true",
};
const NULLS = {
  "s.query_id": "nulls",
  "s.database": "Demo",
  "s.sqlstr": "SELECT 'NULL' AS Text, NULL AS Empty",
};

/** Forms, the values that are typed into them, what is tested, and a part of the answer. */
const CHECKS: readonly (readonly [
  page: string,
  typed: Readonly<Record<string, string>>,
  check: string,
  answer: RegExp,
])[] = [
  ["/license.html", { "s.license": LICENCE }, "true", /Example Ferries/],
  ["/dbdef.html?ui.new", { "s.db_id": "Second", "s.db_name": "HOME/state/demo.db" }, "true", /Connected/],
  ["/dbdef/Demo.html?ui.edit", { "s.desc": "Another" }, "true", /Connected/],
  ["/querydef.html?ui.new", { "s.query_id": "ports", "s.database": "Demo", ...TRIAL }, "true", /country/],
  ["/querydef.html?ui.new", { "s.query_id": "ports", "s.database": "Demo", ...TRIAL }, "run", /Bergen/],
  ["/querydef/bookings-by-year.html?ui.edit", OTHER, "run", /Bergen/],
  ["/querydef/bookings-by-year.html?ui.edit", OTHER, "json", /"columns"/],
  ["/querydef/bookings-by-year.html?ui.edit", UNKNOWN, "run", /name="ui\.null\.year"[^>]* checked.*>None</s],
  ["/querydef.html?ui.new", NULLS, "run", /<td>NULL<\/td><td><code>NULL<\/code><\/td>/],
];

/** The configuration files with their content. */
async function filesIn(home: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for await (const { name } of Deno.readDir(join(home, "config"))) {
    files.set(name, await Deno.readTextFile(join(home, "config", name)));
  }
  return files;
}

Deno.test("a test of a licence, a database or a query that are right stores nothing", async () => {
  const users = `admin: {password: ${PASSWORD}, databases: {Demo: {}}}\npublic: {}\n`;
  await using service = await startService(
    homeOf({ users, ini: [`license.public_key = ${publicKeyOf(KEY)}`] }),
  );
  const browser = await browserOf(service, "admin", PASSWORD);
  const send = (page: string, fields: URLSearchParams) =>
    browser.send(`/ui${page.replace(/\.html.*$/, "")}`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: service.url },
      body: fields,
    });
  const before = await filesIn(service.home);
  const forms: (readonly [string, URLSearchParams])[] = [];
  for (const [page, typed, check, answer] of CHECKS) {
    const fields = sentForm((await browser.get(page)).text);
    for (const [name, value] of Object.entries(typed)) {
      fields.set(name, value.replace("HOME", service.home));
    }
    forms.push([page, new URLSearchParams(fields)]);
    fields.set("ui.check", check);
    const checked = await send(page, fields);
    assert.equal(checked.status, 200, `${page} ${checked.text}`);
    assert.match(checked.text, answer, `${page} ${check}`);
  }
  assert.deepEqual(await filesIn(service.home), before);
  for (
    const [path, status] of [["/license", 200], ["/dbdef/Second", 404], ["/querydef/ports", 404]] as const
  ) {
    const { text, status: found } = await browser.get(`${path}.json`);
    assert.equal(found, status, path);
    if (path === "/license") assert.equal(JSON.parse(text).state, "open");
  }
  // The same forms are stored without the test.
  for (const [page, fields] of forms.slice(0, 3)) assert.equal((await send(page, fields)).status, 303, page);
  assert.notDeepEqual(await filesIn(service.home), before);
});
