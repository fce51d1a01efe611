import assert from "node:assert/strict";
import { browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";

const QUERIES = `
fares:
  {database: Demo, sqlstr: "SELECT FareCode, Name FROM Fare WHERE PerMile >= :least", parameters: {least: decimal}, execute: [public]}
between:
  {database: Demo, sqlstr: "SELECT Name FROM Vessel WHERE Seats BETWEEN :least AND :most", execute: [public]}
seats:
  {database: Demo, sqlstr: "SELECT Name, Seats FROM Vessel", execute: [public]}
raise:
  {database: Demo, sqlstr: "UPDATE Fare SET PerMile = PerMile + :share WHERE FareCode = 'ADULT' RETURNING FareCode, PerMile, hex(zeroblob(500000)) AS Long", parameters: {share: decimal}, http_methods: {POST: true}, execute: [anna]}
drop:
  {database: Demo, sqlstr: "DELETE FROM Fare WHERE FareCode = :code", http_methods: {DELETE: true}, execute: [anna]}
rates:
  {database: Demo, sqlstr: "SELECT upper(Name) AS Title, PerMile * 2 AS Twice FROM Fare", execute: [public]}
classes:
  {database: Demo, sqlstr: "SELECT substr(FareCode, 1, 1) AS Letter, count(*) AS Tickets, sum(Price) AS Revenue FROM Ticket GROUP BY 1", execute: [public]}
plan:
  {database: Demo, sqlstr: "EXPLAIN QUERY PLAN SELECT Name FROM Port", execute: [public]}
noted:
  {database: Demo, sqlstr: "SELECT Name FROM Port", read_only: false, execute: [public]}
parse:
  {database: Demo, sqlstr: "SELECT json_extract(:text, '$.a') AS Part", execute: [public]}
abroad:
  {database: Demo, sqlstr: "SELECT Name FROM Port WHERE CountryCode = :country OR :country IS NULL", execute: [public]}
sailings:
  {database: Demo, sqlstr: "SELECT SailingId, Departure FROM Sailing", execute: [public]}
active:
  {database: Demo, sqlstr: "SELECT Name FROM Vessel WHERE InService = :active AND LengthMetres > :least", parameters: {active: boolean, least: decimal}, execute: [public]}
later:
  {database: Demo, sqlstr: "SELECT count(*) AS n FROM Sailing WHERE Departure >= :since", parameters: {since: datetime}, execute: [public]}
`;

const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}
anna: {password: ${PASSWORD}, databases: {Demo: {}}}
admin: {password: x}
`;

const home = homeOf({ users: USERS });
const service = sharedService({ ...home, files: { ...home.files, "config/querydefs.cfg": QUERIES } });

async function page(path: string, status = 200): Promise<string> {
  const answer = await service().fetch(path, { headers: { Accept: "text/html" } });
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  assert.equal(answer.headers.has("warning"), status === 400);
  return text;
}

Deno.test("a moment is written in the form of a query as pages show it", async () => {
  assert.match(await page("/query/later.html"), />For example 2031-05-27 07:30:00\.</);
  const [spaced, exact] = await Promise.all(
    ["2025-04-20 10:00:00", "2025-04-20T10:00:00"].map(async (since) => {
      return await (await service().fetch(`/query/later/since/${since}.json`)).text();
    }),
  );
  assert.match(spaced ?? "", /"n": [1-9]/);
  assert.equal(spaced, exact);
});

Deno.test("the form of a query chooses no value by itself, and shows how a decimal is written", async () => {
  const text = await page("/query/active.html");
  assert.match(text, /<select[^>]* required="required"[^>]*><option value="" selected="selected"><\/option>/);
  assert.match(text, />For example 12\.5\.</);
  const again = await page("/query/active/active/%3Cnull%3E/least/1.html?ui.edit");
  assert.match(again, /<option value="" selected="selected">/, "NULL is neither yes nor no");
});

Deno.test("a value of the wrong type comes back in the form with its mistake, and the way leads nowhere wrong", async () => {
  const text = await page("/query/fares/least/much.html", 400);
  assert.match(text, /<input[^>]* name="ui\.arg\.least"[^>]* aria-invalid="true"[^>]* value="much"/);
  assert.match(text, /<p class="complaint" id="b0-0-problem">Expected a number</);
  assert.doesNotMatch(text, /Cannot run query/);
  const [, crumbs = ""] = /aria-label="Breadcrumb">(.*?)<\/nav>/s.exec(text) ?? [];
  const links = [...crumbs.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  assert.deepEqual(links, ["/", "/query.html"]);
});

Deno.test("each value that is wrong or missing has its mistake in the form", async () => {
  const mistakes = async (path: string) => {
    const text = await page(path, 400);
    return [...text.matchAll(/<p class="complaint" id="b0-([^"]*)-problem">([^<]*)</g)].map(([, ...all]) =>
      all
    );
  };
  assert.deepEqual(await mistakes("/query/active/active/perhaps/least/much.html"), [
    ["0", "Expected yes or no"],
    ["1", "Expected a number"],
  ]);
  assert.deepEqual(await mistakes("/query/active/least/much.html"), [
    ["0", "Needs a value"],
    ["1", "Expected a number"],
  ]);
});

Deno.test("blanks around a number are left out of the address of a result", async () => {
  const answer = await service().fetch("/query/fares.html?ui.arg.least=+0.5+", {
    headers: { Accept: "text/html" },
  });
  assert.equal(answer.headers.get("location"), "/query/fares/least/0_dot5.html");
  const text = await service().fetch("/query/parse.html?ui.arg.text=a+", {
    headers: { Accept: "text/html" },
  });
  assert.equal(text.headers.get("location"), "/query/parse/text/a%20.html");
});

Deno.test("a form gives NULL, which its result names and the form for other values has", async () => {
  for (const sent of ["ui.arg.country=NO&ui.null.country=true", "ui.null.country=true"]) {
    const answer = await service().fetch(`/query/abroad.html?${sent}`, { headers: { Accept: "text/html" } });
    assert.equal(answer.headers.get("location"), "/query/abroad/country/%3Cnull%3E.html", sent);
  }
  const path = "/query/abroad/country/%3Cnull%3E.html?limit=29";
  const text = await page(path);
  assert.match(text, /<span aria-current="page">country NULL<.*>Bergen<.*>Reykjavik</s);
  const switched = /name="ui\.null\.country"[^>]* checked="checked"/;
  assert.match(await page(`${path}&ui.edit`), switched);
  assert.doesNotMatch(await page("/query/abroad/country/NO.html?limit=29&ui.edit"), switched);
  assert.match(
    await page("/query/between/least/%3Cnull%3E.html", 400),
    /name="ui\.null\.least"[^>]* checked/,
  );
});

Deno.test("values that the database cannot use have the way back to the form", async () => {
  const refused = await page("/query/parse/text/nothing.html?limit=29", 400);
  assert.match(refused, /<a class="button main" href="\/query\/parse\.html">Go to parse<\/a>/);
  const forbidden = await service().fetch("/query/raise/share/1.html", { headers: { Accept: "text/html" } });
  assert.ok(forbidden.status >= 400);
  assert.doesNotMatch(await forbidden.text(), /Go to raise/);
});

Deno.test("a path that lacks one of the values is 400, and its form asks for that one", async () => {
  const text = await page("/query/between/least/100.html", 400);
  assert.match(text, /<input[^>]* name="ui\.arg\.least"[^>]* value="100"/);
  assert.match(text, /<input[^>]* name="ui\.arg\.most"[^>]* aria-invalid="true"/);
  assert.match(text, /<p class="complaint" id="b0-1-problem">Needs a value</);
  assert.doesNotMatch(await page("/query/between.html"), /aria-invalid/);
});

Deno.test("a result is a list: sorted by its headers, exported for spreadsheets, with the number of its rows if the page has all", async () => {
  const few = await page("/query/fares/least/0.html?limit=29");
  const count = [...few.matchAll(/<tr><td>/g)].length;
  assert.ok(count > 2, few);
  assert.match(
    few,
    new RegExp(
      `Export ${count} rows<.*csv\\?bom=true&amp;escape_formulas=true" download="fares\\.csv">Spreadsheet`,
      "s",
    ),
  );
  assert.match(few, new RegExp(`<p>1&#8211;${count} of ${count}</p>`));
  const [, sort = ""] = /<a class="sort" href="([^"]*)">Name</.exec(few) ?? [];
  const sorted = await page(sort.replaceAll("&amp;", "&"));
  assert.match(sorted, /<th scope="col" aria-sort="ascending"><a class="sort" href="[^"]*sort=-Name">Name</);
  const names = [...sorted.matchAll(/<\/td><td>([^<]*)<\/td><\/tr>/g)].map(([, name = ""]) => name);
  assert.deepEqual(names, names.toSorted());
  assert.doesNotMatch(few, /ui\.filter|ui\.hide|filter-column/);
  const many = await page("/query/sailings.html?limit=5");
  assert.match(many, /Export<.*<p>1&#8211;5<\/p>.*rel="next"/s);
  const answer = await service().fetch("/query/fares/least/0.html?limit=29");
  await answer.body?.cancel();
  assert.equal(answer.headers.get("Rowhouse-All-Record-Count"), null);
});

Deno.test("the chart proposed for a result adds its numbers instead of counting its rows", async () => {
  const text = await page("/query/seats.html?limit=29&ui.chart");
  assert.match(text, /<figcaption>Sum of Seats by Name, \d+ groups; highest is Tuuletar with 2,400\./);
  assert.match(
    await page("/query/seats.html?limit=29&ui.chart&ui.x=Name"),
    /<figcaption>Number of records by Name/,
  );
  const chart = await page("/query/fares/least/0.html?limit=29&ui.chart");
  const [, crumbs = ""] = /aria-label="Breadcrumb">(.*?)<\/nav>/s.exec(chart) ?? [];
  const links = [...crumbs.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  assert.deepEqual(links, ["/", "/query.html", "/query/fares.html", "/query/fares/least/0.html?limit=29"]);
});

Deno.test("a chart is proposed for computed columns by their values, as SQLite has no types of them", async () => {
  const text = await page("/query/classes.html?ui.chart");
  assert.match(text, /<figcaption>Sum of Tickets by Letter, \d+ groups; highest is /);
  const [, amounts = ""] = /<select[^>]* name="ui\.y"[^>]*>(.*?)<\/select>/.exec(text) ?? [];
  assert.deepEqual(
    [...amounts.matchAll(/<option value="([^"]*)"/g)].map(([, name]) => name),
    ["", "Tickets", "Revenue"],
  );
});

Deno.test("a result that only a run gives offers no chart, which would run the query again", async () => {
  for (const id of ["plan", "noted"]) {
    assert.doesNotMatch(await page(`/query/${id}.html`), /Summary and chart/, id);
    assert.match(await page(`/query/${id}.html?ui.chart`, 400), /it is no query that only returns a list/);
  }
});

Deno.test("a chart of a result whose values do not fit has its form again", async () => {
  const answer = await service().fetch("/query/rates.html?ui.chart=bar&ui.x=Twice&ui.y=Title", {
    headers: { Accept: "text/html" },
  });
  const text = await answer.text();
  assert.equal(answer.status, 400);
  assert.match(text, /Cannot compute with column &quot;Title&quot;: type text has no numbers/);
  assert.match(text, /name="ui\.y".*<option value="Title" selected="selected">.*>Draw</s);
});

Deno.test("a query that GET does not run has a form that sends its values and shows the rows of the answer", async () => {
  const browser = await browserOf(service(), "anna", PASSWORD);
  const form = await browser.get("/query/raise.html");
  assert.equal(form.status, 200);
  assert.match(form.text, /<form method="post" accept-charset="utf-8" action="\/ui\/query\/raise"/);
  const sent = hiddenFields(form.text);
  const wrong = await browser.post("/ui/query/raise", { ...sent, "s.share": "much" });
  assert.equal(wrong.status, 400);
  assert.match(
    wrong.text,
    /aria-invalid="true"[^>]* value="much".*class="complaint"[^>]*>Expected a number</s,
  );
  const run = await browser.post("/ui/query/raise", { ...sent, "s.share": "1" });
  assert.equal(run.status, 200);
  assert.match(
    run.text,
    /role="status">The query has been run\.<.*<td>ADULT<\/td><td class="number">1\.42<\/td>/s,
  );
  assert.ok(run.text.length < 20_000, `${run.text.length}`);
  assert.equal((await service().fetch("/query/raise/share/1.json")).status, 403);
  const foreign = await service().fetch("/ui/query/raise", {
    method: "POST",
    headers: { Cookie: `auth_tkt=${browser.cookies.get("auth_tkt")}`, Origin: "http://elsewhere.example" },
    body: new URLSearchParams({ "ui.method": "POST", "s.share": "1" }),
  });
  await foreign.body?.cancel();
  assert.equal(foreign.status, 403);
  assert.match((await browser.get("/query/drop.html")).text, /Only programs run this query, with DELETE\./);
});

Deno.test("requests for programs have credentials only where the page has a user", async () => {
  const open = await page("/db/Demo/Fare.html?limit=5");
  const address = `${service().url}/db/Demo/Fare.json?limit=5`;
  assert.ok(open.includes(`>curl '${address}'</pre>`), open);
  assert.ok(open.includes(`requests.get(&quot;${address}&quot;).json()`), open);
  const browser = await browserOf(service(), "anna", PASSWORD);
  const own = (await browser.get("/db/Demo/Fare.html?limit=5")).text;
  assert.match(own, />curl -u (?:'|&#39;)anna(?:'|&#39;) (?:'|&#39;)http/);
  assert.match(
    own,
    /Authorization: &quot;Basic &quot; \+ btoa\(&quot;anna&quot; \+ &quot;:&quot; \+ password\)/,
  );
  assert.match(own, /, auth=\(&quot;anna&quot;, password\)\)\.json\(\)/);
});
