import assert from "node:assert/strict";
import { homeOf, PASSWORD, sessionOf, USERS } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { textOf } from "@/tests/support/text_of.ts";

const USER = { apikey: "clerk-0123456789-0123456789-0123456789" };
const CLERK = `clerk: {apikey: ${USER.apikey}, databases: {Demo: {access: {Vessel: [read]}}}}\n`;
const IDLE = "idle-0123456789-0123456789-0123456789";
const service = sharedService(homeOf({ users: `${USERS}${CLERK}idle: {apikey: ${IDLE}}\n` }));

const page = (path: string, Cookie = "") =>
  textOf(service().fetch(path, { headers: { Accept: "text/html", Cookie } }));

async function locationOf(path: string): Promise<string | null> {
  const answer = await service().fetch(path, { redirect: "manual" });
  await answer.body?.cancel();
  assert.equal(answer.status, 303);
  return answer.headers.get("location");
}

const MARKS = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' } as const;

/** The value of an attribute. */
function unescaped(text: string): string {
  return text.replace(/&\w+;/g, (mark) => MARKS[mark as keyof typeof MARKS]);
}

const admin = () => sessionOf(service(), "admin", `${PASSWORD}-admin`);

Deno.test("the home page shows what one may use, and to administrators what to do next", async () => {
  const text = await page("/");
  assert.match(text, /<title>Rowhouse<\/title>/);
  assert.match(text, /href="\/db\/Demo.html">Demo</);
  assert.match(text, /href="\/query\/bookings-by-year.html">bookings-by-year<.*Bookings of one year/s);
  assert.doesNotMatch(text, /Administration|Next steps/);
  const own = await page("/", await admin());
  assert.match(own, /Next steps.*href="\/dbdef.html\?ui.new">Add a database/s);
  assert.match(own, /Add a user<\/a><span class="hidden"> \(done\)/);
});

Deno.test("the search finds tables, columns and queries, and nothing that one may not use", async () => {
  const text = await page("/?ui.find=ooking");
  assert.match(text, /<h1>“ooking”<\/h1>/);
  assert.match(text, /href="\/query\/bookings-by-year.html">/);
  assert.match(text, /href="\/db\/Demo\/Booking.html">Booking<\/a><p>table of Demo/);
  assert.match(text, />Booking<\/a>.*Booking: BookingId</s, "tables come before columns");
  assert.match(await page("/?ui.find=timetable"), />Timetable<\/a><p>view of Demo/);
  // This admin has no database.
  const none = await page("/?ui.find=ooking", await admin());
  assert.doesNotMatch(none, /BookingId|table of Demo/);
  const markup = await page("/?ui.find=%3Cscript%3E");
  assert.doesNotMatch(markup, /<script>/);
  assert.match(markup, /<\/h1><\/div>\n<p[^>]*>No database, table, column or query/);
  assert.match(await page("/?ui.find=with their"), />Found in one place\.<.*bookings-by-year/s);
  assert.match(await page("/?ui.find=demo"), />Demo<.*Demo database/s);
});

Deno.test("a database's page has its tables with columns and relations", async () => {
  assert.match(
    await page("/db/Demo.html"),
    /<td><a href="\/db\/Demo\/Vessel.html">Vessel<\/a><\/td><td><\/td><td class="number">(\d+)<\/td><td class="number">\d+<\/td><td>[^<]*Port/,
  );
  const [, rows] = /Vessel<\/a><\/td><td><\/td><td class="number">(\d+)</.exec(await page("/db/Demo.html")) ??
    [];
  const all = await (await service().fetch("/db/Demo/Vessel.json?limit=1000")).json();
  assert.equal(Number(rows), all.length);
});

Deno.test("pages about different things have different titles", async () => {
  const session = await admin();
  const paths = [
    ...["/db.html", "/dbdef.html", "/query.html", "/querydef.html", "/db/Demo.html", "/dbdef/Demo.html"],
    ...["/query/bookings-by-year.html", "/querydef/bookings-by-year.html"],
    ...[2024, 2025].map((year) => `/query/bookings-by-year/year/${year}.html?limit=5`),
  ];
  const titles = new Map<string, string>();
  for (const path of paths) {
    const [, title = ""] =
      /<title>(.*?)<\/title>/.exec(await page(path, path.includes("def") ? session : "")) ?? [];
    assert.equal(titles.get(title), undefined, `${title}: ${path}`);
    titles.set(title, path);
  }
});

Deno.test("a query asks people for its values, and its form leads to the address of the result", async () => {
  const form = await page("/query/bookings-by-year.html");
  assert.match(form, /<form method="get" accept-charset="utf-8" action="\/query\/bookings-by-year.html">/);
  assert.match(form, /<label for="b0-0">year/);
  assert.equal(
    await locationOf("/query/bookings-by-year.html?ui.arg.year=20%2F25"),
    "/query/bookings-by-year/year/20__25.html",
  );
  assert.match(await page("/query/bookings-by-year/year/2025.html?limit=2"), /<table>/);
  const mistyped = await service().fetch("/query/bookings-by-year/yaer/2025.html");
  assert.equal(mistyped.status, 400);
  assert.match(mistyped.headers.get("warning") ?? "", /^Cannot run query/);
  assert.match(await mistyped.text(), /role="alert">Cannot run query/);
  assert.equal(await statusOf(service().fetch("/query/bookings-by-year.json")), 400);
});

Deno.test("activity, licence and settings are pages for administrators", async () => {
  const Cookie = await admin();
  const activity = await page("/reqstatus.html", Cookie);
  assert.match(activity, /<main id="main" data-refresh="5">/);
  assert.match(activity, /<code>\/login<\/code>/);
  const refused = await service().fetch("/db/Demo/Prot.json");
  await refused.body?.cancel();
  const asked = await page("/reqstatus.html?ui.user=public&ui.status=refused&ui.path=PROT", Cookie);
  assert.match(
    asked,
    /<main id="main" data-refresh="5">.*<option value="public" selected.*<td>public<\/td>/s,
  );
  const paths = [...asked.matchAll(/<td><code>([^<]*)<\/code>/g)].map(([, path]) => path);
  assert.deepEqual([...new Set(paths)], ["/db/Demo/Prot.json"]);
  assert.match(await page("/reqstatus.html?ui.user=nobody", Cookie), /No request fits\./);
  assert.match(await page("/license.html", Cookie), /<dt>State<\/dt><dd>open<\/dd>.*name="s\.license"/s);
  const settings = await page("/settings.html", Cookie);
  assert.match(settings, /<dt>html_limit<\/dt><dd>29<p class="hint">[^<]*\.<\/p><\/dd>/);
  assert.match(settings, /<dt>argon2\.time_cost<\/dt><dd>1<p class="hint">[^<]*\. Default: 2<\/p><\/dd>/);
  assert.match(settings, /<dt>cors\.open<\/dt><dd>False<p class="hint">[^<]*\.<\/p><\/dd>/);
  assert.match(settings, /<dt>session\.secret<\/dt><dd>\((?:secret|unset)\)</);
  assert.match(settings, /Directory with the template \(docs\/configuration\.md\) page\.html/);
  assert.doesNotMatch(await page("/settings.html"), /html_limit/);
});

Deno.test("one record has its values below each other, its relations, and no tag that related records outdate", async () => {
  const answer = await service().fetch("/db/Demo/Port/PortId/1.html");
  assert.equal(answer.headers.get("etag"), null);
  const text = await answer.text();
  assert.match(text, /<h1>Bergen<\/h1>/);
  assert.match(
    text,
    /<dt>CountryCode<\/dt><dd><a href="\/db\/Demo\/Country\/CountryCode\/NO.html">Norway<\/a>/,
  );
  const related = text.slice(text.indexOf('PortId/1/Vessel.html">Vessel</a></h2>'));
  assert.match(
    related,
    /<td class="number">1<\/td><td><a href="\/db\/Demo\/Vessel\/VesselId\/1.html">Skarv<\/a>/,
  );
  assert.doesNotMatch(related, /<th[^>]*>HomePortId/, "what leads back to the record is the same for all");
});

Deno.test("a record has the first five of its related records, and the number of all", async () => {
  const text = await page("/db/Demo/Port/PortId/1.html");
  const [, employees = ""] =
    /<h2 id="r\d+"><a href="[^"]*">Employee<\/a><\/h2>(.*?)<\/section>/s.exec(text) ?? [];
  assert.equal(employees.match(/<tr><td/g)?.length, 5);
  assert.match(
    employees,
    /<a href="\/db\/Demo\/Port\/PortId\/1\/Employee\.html">All 8 records of Employee<\/a>/,
  );
});

Deno.test("relations without records stand together, behind those with records", async () => {
  const text = await page("/db/Demo/Employee/EmployeeId/93.html");
  const empty = text.slice(text.indexOf('<h2 id="none">No related records</h2>'));
  assert.match(empty, /^<h2[^>]*>[^<]*<\/h2>\n<p>(<a href="[^"]+">[\w ]+<\/a>(, )?)+<\/p>\n<\/section>/);
  assert.doesNotMatch(empty.slice(5), /<h2/);
});

Deno.test("relations to the same table are told apart by their columns", async () => {
  const record = await page("/db/Demo/Port/PortId/1.html");
  assert.match(
    record,
    />Route by OriginPortId<\/a><\/h2>.*Route_DestinationPortId.html">Route by DestinationPortId</s,
  );
  assert.match(await page("/db/Demo/Port.html?limit=1"), /<th[^>]*>Route by DestinationPortId<\/th>/);
  const list = await page("/db/Demo/Port/PortId/1/Route_DestinationPortId.html?limit=1");
  assert.match(list, /<span aria-current="page">Route by DestinationPortId<\/span>/);
  assert.match(list, /<optgroup label="Port by OriginPortId">/);
});

Deno.test("a record shows its pictures, which come from the sandbox", async () => {
  const text = await page("/db/Demo/Vessel/VesselId/1.html");
  const [, address = ""] =
    /<dt>Pennant<\/dt><dd><a class="binary"[^>]*>401 bytes<\/a><img class="preview" src="([^"]*)"/.exec(
      text,
    ) ?? [];
  assert.equal(address, "/ui/raw/db/Demo/Vessel/VesselId/1/Pennant");
  const picture = await service().fetch(address);
  assert.equal((await picture.bytes()).length, 401);
  assert.equal(picture.headers.get("content-type"), "image/png");
  assert.match(picture.headers.get("content-security-policy") ?? "", /sandbox/);
});

Deno.test("related records have labels behind their foreign keys, and a link to their own page", async () => {
  const text = await page("/db/Demo/Vessel/VesselId/1.html");
  assert.match(
    text,
    /<td><a href="\/db\/Demo\/Amenity\/AmenityId\/8.html">Duty-free \/ Shop<\/a><\/td><td><a href="\/db\/Demo\/VesselAmenity\/VesselId\/1\/AmenityId\/8.html">Open<\/a>/,
  );
  assert.equal(text.match(/<a href="\/db\/Demo\/Sailing\/SailingId\/\d+.html">/g)?.length, 5);
  const list = await page("/db/Demo/VesselAmenity.html?limit=1");
  assert.match(
    list,
    /<tr><td><a href="\/db\/Demo\/VesselAmenity\/VesselId\/1\/AmenityId\/8.html\?ui.in=[^"]*">Open<\/a><\/td><td class="first"><a href="\/db\/Demo\/Vessel\/VesselId\/1.html">/,
  );
});

Deno.test("the result of a query leads to its chart and back to its form with the values", async () => {
  const text = await page("/query/bookings-by-year/year/2025.html?limit=2");
  assert.match(
    text,
    /href="\/query\/bookings-by-year\/year\/2025.html\?limit=2&amp;ui.chart">Summary and chart</,
  );
  assert.match(text, /<span aria-current="page">year 2025<\/span>/);
  const form = await page("/query/bookings-by-year/year/2025.html?ui.edit");
  assert.match(form, /name="ui\.arg\.year" required="required" value="2025"/);
  const broken = await service().fetch("/query/bookings-by-year/year/2025/%zz.html?limit=2");
  await broken.body?.cancel();
  assert.ok(broken.status < 500, `${broken.status}`);
});

Deno.test("a chart that does not fit the result of a query has its form again", async () => {
  const path = "/query/bookings-by-year/year/2025.html?limit=2";
  const answer = await service().fetch(`${path}&ui.chart=histogram&ui.x=BookedAt`);
  const text = await answer.text();
  assert.equal(answer.status, 400);
  assert.match(text, /Cannot group column &quot;BookedAt&quot; by range/);
  assert.match(text, /<option value="BookedAt" selected="selected">/);
  assert.match(text, />Back to the list</);
});

Deno.test("a summary names the records behind a foreign key, to those who may read them", async () => {
  const path = "/db/Demo/Vessel.html?limit=29&ui.chart=bar&ui.x=HomePortId";
  const text = await page(path);
  assert.match(text, /highest is Bergen \(1\) with 2/);
  assert.match(text, /href="\/db\/Demo\/Vessel\/HomePortId\/1\.html\?limit=29">Bergen \(1\)<\/a>/);
  const headers = { Accept: "text/html", ...USER };
  const clerks = await (await service().fetch(path, { headers })).text();
  assert.match(clerks, /highest is 1 with 2/);
  assert.doesNotMatch(clerks, /Bergen/);
  assert.equal((await service().fetch("/db/Demo/Vessel.json?sort=Port/Name&limit=0")).status, 200);
  const ordered = await service().fetch("/db/Demo/Vessel.json?sort=Port/Name", { headers: USER });
  assert.equal(ordered.status, 400, "nor is their order told");
  const { description } = await ordered.json();
  assert.match(description, /^Cannot sort by "Port\/Name": table "Vessel" has the columns "VesselId",/);
});

Deno.test("a chart of a foreign key with many values names the records of all of its bars", async () => {
  const path = "/db/Demo/Ticket.html?ui.chart=bar&ui.x=BookingId&ui.y=Price&ui.total=mean";
  const text = await (await service().fetch(path)).text();
  const [, chart = ""] = /<svg [^>]*class="chart"(.*?)<\/svg>/s.exec(text) ?? [];
  const bars = [...chart.matchAll(/<text text-anchor="end"[^>]*>([^<]*)</g)].map(([, label]) => label);
  assert.equal(bars.length, 30);
  assert.deepEqual(bars.filter((label) => /^\d+$/.test(label ?? "")), []);
});

Deno.test("a summary says which records or values it is about", async () => {
  const list = await page("/db/Demo/Port/CountryCode/NO/LocalName/*a*.html?ui.chart");
  assert.match(list, /<h1>Port in numbers<\/h1>.*>Where CountryCode is NO and LocalName contains a</s);
  assert.doesNotMatch(await page("/db/Demo/Port.html?ui.chart"), />Where /);
  const refused = await service().fetch("/db/Demo/Port/CountryCode/NO.html?ui.chart=histogram&ui.x=Name", {
    headers: { Accept: "text/html" },
  });
  assert.match(await refused.text(), />Where CountryCode is NO</);
  const result = await page("/query/bookings-by-year/year/2025.html?ui.chart");
  assert.match(result, /bookings-by-year in numbers<\/h1>.*<p[^>]*>year 2025</s);
});

Deno.test("the moments of a summary are written as in the list", async () => {
  const text = await page("/db/Demo/Booking.html?ui.chart=line&ui.x=BookedAt");
  assert.match(text, /<dt>Smallest<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d<\/dd>/);
});

Deno.test("the form of a chart has the kind that is drawn, also if another one was chosen for a column", async () => {
  for (const kind of ["line", "bar"]) {
    const text = await page(`/db/Demo/Port.html?ui.chart=${kind}&ui.x=Name`);
    assert.match(text, /<option value="bar" selected="selected">Bars</, kind);
  }
});

Deno.test("the booleans of summaries and frequent values are written as in the list", async () => {
  for (const asked of ["chart=bar&ui.x=InService&ui.y=Seats", "facet=InService"]) {
    const text = await page(`/db/Demo/Vessel.html?limit=5&ui.${asked}`);
    assert.match(text, /InService\/true\.html\?limit=5">yes<\/a>/);
    assert.doesNotMatch(text, /(?:>|is )true\b/);
  }
});

Deno.test("a list in numbers has its chart, its numbers and links to the rows of each value", async () => {
  const text = await page("/db/Demo/Port.html?limit=29&ui.chart=bar&ui.x=CountryCode");
  assert.match(text, /<svg [^>]*class="chart" role="img"/);
  assert.match(text, /<dt>Different values<\/dt><dd>\d+<\/dd>/);
  assert.match(
    text,
    /href="\/db\/Demo\/Port\/CountryCode\/NO.html\?limit=29">Norway \(NO\)</,
  );
  const download = async (name: string) => {
    const [, address = ""] = new RegExp(`download="${name}" href="([^"]*)"`).exec(text) ?? [];
    return await (await fetch(unescaped(address))).text();
  };
  assert.match(await download("chart.csv"), /^CountryCode,Number of records\r\n(?:.*\r\n)*Türkiye \(TR\),1$/);
  assert.match(
    await download("chart.svg"),
    /^<svg xmlns="[^"]*" class="chart"[^]*>Norway \(NO\)<[^]*<\/svg>$/,
  );
  assert.equal(await statusOf(service().fetch("/db/Demo/Port.html?ui.chart=bar&ui.x=Nothing")), 400);
});

Deno.test("the numbers of a chart are a table, whose groups and NULLs lead to their records", async () => {
  const months = await page("/db/Demo/Booking.html?limit=29&ui.chart=line&ui.x=BookedAt");
  const [, link = ""] = /<td><a href="([^"]*)">2025-04<\/a><\/td><td class="number">484</.exec(months) ?? [];
  assert.match(await page(link.replaceAll("&amp;", "&")), /Export 484 rows/);
  const sums = await page("/db/Demo/Ticket.html?limit=29&ui.chart=bar&ui.x=FareCode&ui.y=Charged");
  assert.match(sums, /The chart as a table<.*<th[^>]*>Sum of Charged</s);
  const none = await page(
    "/db/Demo/Port/Name/nothing.html?ui.chart=bar&ui.x=CountryCode&ui.by=value&ui.y=PortId",
  );
  assert.match(none, /There are no values to draw/);
  assert.doesNotMatch(none, /The chart as a table/);
  const nulls = await page("/db/Demo/Employee.html?limit=29&ui.chart=bar&ui.x=ReportsTo");
  assert.match(
    nulls,
    /<dt>NULL<\/dt><dd><a href="\/db\/Demo\/Employee\/ReportsTo\/%3Cnull%3E\.html\?limit=29">1</,
  );
  assert.doesNotMatch(nulls, /<dt>(?:Sum|Mean)</);
  assert.doesNotMatch(await page("/db/Demo/Customer.html?limit=29&ui.chart=bar&ui.x=Email"), /Most frequent/);
});

Deno.test("the numbers of a list of chosen columns lead to the list with these columns", async () => {
  const text = await page("/db/Demo/Port/CountryCode,Name.html?limit=29&ui.chart=bar&ui.x=CountryCode");
  const [, link = "", count] =
    /<td><a href="([^"]*)">Norway \(NO\)<\/a><\/td><td class="number">(\d+)</.exec(text) ?? [];
  assert.equal(link, "/db/Demo/Port/CountryCode/NO/CountryCode,Name.html?limit=29");
  assert.match(await page(link), new RegExp(`Export ${count} rows`));
});

Deno.test("somebody without a database reads whom to ask, unless it is for this person to add one", async () => {
  const answer = await service().fetch("/db.html", { headers: { apikey: IDLE } });
  assert.match(
    await answer.text(),
    />There is no database that you may use\. Ask the administrator of this service\.</,
  );
  assert.match(await page("/db.html", await admin()), />There is no database that you may use\.</);
});

Deno.test("points have no total, so its field is there only for the other charts", async () => {
  const conditionOf = async (chart: string) => {
    const text = await page(`/db/Demo/Ticket.html?limit=29&ui.chart=${chart}&ui.x=Price&ui.y=Charged`);
    return /data-only-if="([^"]*)"><label[^>]*>As</.exec(text)?.[1]?.split("\n");
  };
  assert.deepEqual(await conditionOf("scatter"), ["ui.chart", "bar", "line", "histogram"]);
  assert.equal((await conditionOf("histogram"))?.[0], "ui.y");
});

Deno.test("the diagram of a database has its tables as links", async () => {
  assert.match(
    await page("/db/Demo.html"),
    /<svg [^>]*class="diagram".*<a href="\/db\/Demo\/Vessel.html"/s,
  );
});

Deno.test("the page of a request that cannot be read shows the account, and the way back", async () => {
  const refused = async (path: string, Cookie = "") => {
    const answer = await service().fetch(path, { headers: { Accept: "text/html", Cookie } });
    assert.equal(answer.status, 400);
    return { text: await answer.text(), cache: answer.headers.get("cache-control") };
  };
  const back = /<nav class="crumbs".*<a href="\/db\/Demo\/Vessel\.html">Vessel</s;
  const anna = await sessionOf(service(), "anna", PASSWORD);
  const own = await refused("/db/Demo/Vessel/VesselId/1.html?limt=3", anna);
  assert.match(own.text, back);
  assert.match(own.text, /Logged in as/);
  assert.doesNotMatch(own.text, />Log in</);
  assert.match(own.cache ?? "", /no-store/);
  const others = await refused("/db/Demo/Vessel/VesselId/1.html?limt=3");
  assert.match(others.text, back);
  assert.match(others.text, />Log in</);
  const hidden = await refused("/userdef/maria.html?limt=3");
  assert.doesNotMatch(hidden.text, /<nav class="crumbs"/, "what one may not open is no way back");
  const broken = await refused("/db/Demo/Vessel.html?limt=3", "auth_tkt=nobody");
  assert.match(broken.text, />Log in</);
  assert.match(broken.text, back, "the same list without the parameter");
  assert.match((await refused("/db/Demo.html?limt=3")).text, /<a href="\/db\/Demo\.html">Demo<\/a>/);
  assert.match((await refused("/db.html?limt=3")).text, /<nav class="crumbs".*<a href="\/db\.html">/s);
});

Deno.test("the summary of distinct rows is about the columns that they have", async () => {
  const path = "/db/Demo/Sailing/RouteId,VesselId.html?distinct&limit=29";
  const [, link = ""] = /href="([^"]*ui\.chart)">Summary and chart</.exec(await page(path)) ?? [];
  assert.equal(unescaped(link), `${path}&ui.chart`);
  const text = await page(`${path}&ui.chart`);
  assert.match(text, /<figcaption>Number of records by RouteId, /);
  const [, columns = ""] = /<select[^>]* name="ui\.x"[^>]*>(.*?)<\/select>/.exec(text) ?? [];
  assert.deepEqual([...columns.matchAll(/value="([^"]*)"/g)].map(([, name]) => name), [
    "RouteId",
    "VesselId",
  ]);
  const other = await service().fetch(`${path}&ui.chart=line&ui.x=Departure`);
  assert.equal(other.status, 400);
  assert.match(await other.text(), /the distinct rows do not have it.*name="ui\.x"/s);
});

Deno.test("the chart proposed for a table of keys counts the records of each key, and names these", async () => {
  const text = await page("/db/Demo/VesselAmenity.html?limit=29&ui.chart");
  assert.match(text, /<figcaption>Number of records by VesselId, \d+ groups; highest is [A-Z]/);
});
