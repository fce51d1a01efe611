/** @module Forms of a service whose answers are not UTF-8. */

import assert from "node:assert/strict";
import { homeOf } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";

const QUERIES =
  `echo: {database: Demo, sqlstr: "SELECT :text AS Text", http_methods: {POST: true}, execute: [public]}\n`;

const home = homeOf({
  ini: ["output_encoding = iso-8859-1"],
  users: `public: {databases: {Demo: {access: {"*": [read]}}}}\nadmin: {}\n`,
});
const service = sharedService({ ...home, files: { ...home.files, "config/querydefs.cfg": QUERIES } });

Deno.test("forms are sent as UTF-8, in which they are read, whatever the charset of their page", async () => {
  for (const path of ["/login.html", "/db/Demo/Port.html?limit=2", "/query/echo.html"]) {
    const answer = await service().fetch(path, { headers: { Accept: "text/html" } });
    assert.equal(answer.headers.get("content-type"), "text/html; charset=iso-8859-1", path);
    const forms = [...(await answer.text()).matchAll(/<form [^>]*>/g)].map(([form]) => form);
    assert.ok(forms.length > 0, path);
    for (const form of forms) assert.match(form, / accept-charset="utf-8"/, path);
  }
});

Deno.test("the rows of a query that a form runs keep their letters", async () => {
  const body = new URLSearchParams({ "ui.method": "POST", "s.text": "Malmö" });
  const headers = { Origin: service().url, "Sec-Fetch-Site": "same-origin" };
  const answer = await service().fetch("/ui/query/echo", { method: "POST", body, headers });
  assert.match(new TextDecoder("latin1").decode(await answer.bytes()), /<td>Malmö<\/td>/);
});
