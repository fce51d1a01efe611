/** @module Pages of queries that change data: what their author is told before a run, and the way back. */

import assert from "node:assert/strict";
import { type Answer, type Browser, browserOf, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { sharedService } from "@/tests/support/service.ts";

const SQL = "UPDATE Port SET Notes = :note WHERE PortId = :id";
const QUERIES = `
either:
  {database: Demo, creator: otto, sqlstr: "${SQL}", http_methods: {GET: true, POST: true}, execute: [public]}
stuck:
  {database: Demo, creator: otto, sqlstr: "${SQL}", execute: [public]}
noted:
  {database: Demo, creator: otto, sqlstr: "${SQL}", read_only: false, execute: [public]}
ports:
  {database: Demo, creator: otto, sqlstr: "SELECT Name FROM Port", execute: [public]}
port:
  {database: Demo, creator: otto, sqlstr: "SELECT Name FROM Port WHERE PortId = :id", execute: [public]}
`;
const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}
otto: {password: ${PASSWORD}, querydef: [create], databases: {Demo: {}}}
anna: {password: ${PASSWORD}, databases: {Demo: {}}}
admin: {password: x}
`;
const home = homeOf({ users: USERS });
const service = sharedService({ ...home, files: { ...home.files, "config/querydefs.cfg": QUERIES } });
const meet = (login: string): Promise<Browser> => browserOf(service(), login, PASSWORD);

/** Sends the form for a new query. */
async function send(browser: Browser, typed: Readonly<Record<string, string>>): Promise<Answer> {
  const fields = sentForm((await browser.get("/querydef.html?ui.new")).text);
  for (const [name, value] of Object.entries({ "s.database": "Demo", "s.sqlstr": SQL, ...typed })) {
    fields.set(name, value);
  }
  return await browser.send("/ui/querydef", {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: fields,
  });
}

const TOLD =
  /the statement changes data, which GET may not: choose the method POST instead, or set &quot;read_only: false/;

Deno.test("the check and the trial of a query that changes data tell that GET may not", async () => {
  const browser = await meet("otto");
  const checked = await send(browser, { "ui.check": "true" });
  assert.equal(checked.status, 200);
  assert.match(
    checked.text,
    /class="notice warning"><p role="status">The database accepts it, but the statement changes data/,
  );
  assert.match(checked.text, TOLD);
  const editor = await send(browser, { "ui.check": "json" });
  assert.match(JSON.parse(editor.text).warning, /^the statement changes data, which GET may not/);
  const tried = await send(browser, { "ui.check": "run", "ui.arg.note": "x", "ui.arg.id": "1" });
  assert.equal(tried.status, 400);
  assert.match(tried.text, TOLD);
  const POST = { "s.query_id": "note", "o.http_methods": "POST" };
  assert.match(
    (await send(browser, { ...POST, "ui.check": "true" })).text,
    /good"><p role="status">The database accepts it\./,
  );
  assert.equal((await send(browser, POST)).status, 303);
});

Deno.test("a query that changes data is run by a form where both GET and POST are chosen", async () => {
  const { status, text } = await (await meet("anna")).get("/query/either/note/Quay/id/1.html");
  assert.equal(status, 200);
  assert.match(
    text,
    /<form method="post" [^>]*action="\/ui\/query\/either".* name="s\.note"[^>]* value="Quay"/s,
  );
});

Deno.test("the pages of a query, and those of its failures, lead only who may change it to its definition", async () => {
  const [author, other] = [await meet("otto"), await meet("anna")];
  for (
    const [path, id, status] of [
      ["/query/ports.html?limit=5", "ports", 200],
      ["/query/port.html", "port", 200],
      ["/query/port/id/1.html?limit=5", "port", 200],
      ["/query/either.html", "either", 200],
      ["/query/stuck/note/Quay/id/1.html", "stuck", 400],
    ] as const
  ) {
    const link = `href="/querydef/${id}.html">Definition<`;
    for (const [browser, isAuthor] of [[author, true], [other, false]] as const) {
      const answer = await browser.get(path);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.text.includes(link), isAuthor, `${path} ${answer.text}`);
    }
  }
});

Deno.test("attack: a form that is shown again runs nothing, which the audit log would not have", async () => {
  const browser = await meet("anna");
  for (const asks of ["ui.search", "ui.look"]) {
    const answer = await browser.send("/ui/query/noted/note/unseen/id/1", {
      method: "POST",
      redirect: "manual",
      headers: { Origin: service().url },
      body: new URLSearchParams({ [asks]: "x" }),
    });
    assert.equal(answer.status, 400, asks);
    assert.match(answer.text, /This address has no form/);
  }
  assert.doesNotMatch((await browser.get("/db/Demo/Port/PortId/1/Notes.txt")).text, /unseen/);
});
