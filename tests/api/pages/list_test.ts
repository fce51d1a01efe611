import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";

const service = sharedService();

const get = (path: string) => textOf(service().fetch(path));

async function redirect(path: string): Promise<string | null> {
  const answer = await service().fetch(path, { redirect: "manual" });
  await answer.body?.cancel();
  assert.equal(answer.status, 303);
  return answer.headers.get("location");
}

const VESSEL = "/db/Demo/Vessel.html?limit=29";

/** A form about filters, and the path that it stands for. */
const FILTERS: readonly (readonly [fields: string, path: string])[] = [
  ["ui.column=Name&ui.is=is&ui.value=a%2Fb.c", "/db/Demo/Vessel/Name/a__b_dotc.html?limit=29"],
  ["ui.column=Name&ui.is=not&ui.value=x", "/db/Demo/Vessel/~Name/x.html?limit=29"],
  ["ui.column=Name&ui.is=any&ui.value=x|y", "/db/Demo/Vessel/Name/x,y.html?limit=29"],
  ["ui.column=Name&ui.is=any&ui.value=x | y", "/db/Demo/Vessel/Name/x,y.html?limit=29"],
  ["ui.column=Name&ui.is=any&ui.value= x|y |z", "/db/Demo/Vessel/Name/%20x,y%20,z.html?limit=29"],
  ["ui.column=Name&ui.is=none&ui.value=x  |  y", "/db/Demo/Vessel/~Name/x%20,%20y.html?limit=29"],
  ["ui.column=Seats&ui.is=any&ui.value=5 |6", "/db/Demo/Vessel/Seats/5,6.html?limit=29"],
  ["ui.column=Name&ui.is=contains&ui.value=*", "/db/Demo/Vessel/Name/*%2A*.html?limit=29"],
  ["ui.column=Name&ui.is=none&ui.value=x|y", "/db/Demo/Vessel/~Name/x,y.html?limit=29"],
  ["ui.column=Name&ui.is=without&ui.value=x", "/db/Demo/Vessel/~Name/*x*.html?limit=29"],
  ["ui.column=InService&ui.is=is&ui.value=Yes", "/db/Demo/Vessel/InService/true.html?limit=29"],
  ["ui.column=Name&ui.is=begins&ui.value=x", "/db/Demo/Vessel/Name/x*.html?limit=29"],
  ["ui.column=Name&ui.is=ends&ui.value=x", "/db/Demo/Vessel/Name/*x.html?limit=29"],
  ["ui.column=Seats&ui.is=least&ui.value=5", "/db/Demo/Vessel/Seats/5...html?limit=29"],
  ["ui.column=Seats&ui.is=most&ui.value=5", "/db/Demo/Vessel/Seats/..5.html?limit=29"],
  ["ui.column=Seats&ui.is=range&ui.value=5&ui.to=7", "/db/Demo/Vessel/Seats/5..7.html?limit=29"],
  ["ui.column=Name&ui.is=notbegins&ui.value=x", "/db/Demo/Vessel/~Name/x*.html?limit=29"],
  ["ui.column=Name&ui.is=notends&ui.value=x", "/db/Demo/Vessel/~Name/*x.html?limit=29"],
  ["ui.column=Seats&ui.is=outside&ui.value=5&ui.to=7", "/db/Demo/Vessel/~Seats/5..7.html?limit=29"],
  ["ui.column=Name&ui.is=empty", "/db/Demo/Vessel/Name/.html?limit=29"],
  ["ui.column=Name&ui.is=filled", "/db/Demo/Vessel/~Name/.html?limit=29"],
  ["ui.column=Name&ui.is=null", "/db/Demo/Vessel/Name/%3Cnull%3E.html?limit=29"],
  ["ui.column=Name&ui.is=value", "/db/Demo/Vessel/~Name/%3Cnull%3E.html?limit=29"],
];

for (const [fields, path] of FILTERS) {
  Deno.test(`the filter form ${fields} leads to ${path}`, async () => {
    assert.equal(await redirect(`${VESSEL}&${fields}`), path);
    await get(path);
  });
}

Deno.test("an empty number or date is NULL", async () => {
  const list = "/db/Demo/Vessel.html?limit=5&ui.column=";
  assert.equal(await redirect(`${list}Seats&ui.is=empty`), "/db/Demo/Vessel/Seats/%3Cnull%3E.html?limit=5");
  assert.equal(
    await redirect(`${list}LaunchedOn&ui.is=filled`),
    "/db/Demo/Vessel/~LaunchedOn/%3Cnull%3E.html?limit=5",
  );
});

Deno.test("blanks around a number of a filter are left out, and those of a text stay", async () => {
  const leadsTo = async (fields: string) =>
    (await service().fetch(`/db/Demo/Vessel.html?limit=5&${fields}`)).headers.get("location");
  assert.equal(
    await leadsTo("ui.column=Seats&ui.is=is&ui.value=+490%09"),
    "/db/Demo/Vessel/Seats/490.html?limit=5",
  );
  assert.equal(
    await leadsTo("ui.column=Seats&ui.is=range&ui.value=+1+&ui.to=+9+"),
    "/db/Demo/Vessel/Seats/1..9.html?limit=5",
  );
  assert.equal(
    await leadsTo("ui.column=Name&ui.is=is&ui.value=a+"),
    "/db/Demo/Vessel/Name/a%20.html?limit=5",
  );
});

/** A filter by a day of a column with times, the path that it stands for, and the filter in words. */
const DAYS: readonly (readonly [fields: string, path: string, words: string])[] = [
  ["is=is&ui.value=2025-04-01", "Departure/2025-04-01..END", "Departure is 2025-04-01"],
  ["is=not&ui.value= 2025-04-01 ", "~Departure/2025-04-01..END", "Departure is not 2025-04-01"],
  ["is=most&ui.value=2025-04-01", "Departure/..END", "Departure is at most 2025-04-01"],
  ["is=least&ui.value=2025-04-01", "Departure/2025-04-01..", "Departure is at least 2025-04-01"],
  [
    "is=range&ui.value=2025-03-31&ui.to=2025-04-01",
    "Departure/2025-03-31..END",
    "Departure is between 2025-03-31 and 2025-04-01",
  ],
  [
    "is=outside&ui.value=2025-03-31&ui.to=2025-04-01",
    "~Departure/2025-03-31..END",
    "Departure is not between 2025-03-31 and 2025-04-01",
  ],
];

for (const [fields, path, words] of DAYS) {
  Deno.test(`a day of a column with times has all its times: ${words}`, async () => {
    const wanted = `/db/Demo/Sailing/${
      path.replace("END", "2025-04-01T23%3A59%3A59_dot999999999")
    }.html?limit=5`;
    const list = "/db/Demo/Sailing.html?limit=5&ui.column=Departure&ui.";
    assert.equal(await redirect(list + fields), wanted);
    const page = await get(wanted);
    assert.match(page, new RegExp(`>${words}</a>`));
    const [, change = ""] = /href="([^"]*ui\.change=1)"/.exec(page) ?? [];
    const form = await get(change.replaceAll("&amp;", "&"));
    const sent = new URLSearchParams(fields.replace(/^is/, "ui.is"));
    assert.match(form, new RegExp(`<option value="${sent.get("ui.is")}" selected="selected">`));
    for (const name of ["ui.value", "ui.to"]) {
      const [, value = ""] = new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(form) ?? [];
      assert.equal(value, (sent.get(name) ?? "").trim(), name);
    }
  });
}

Deno.test("a day in an address is its midnight, and stays that when the filter is changed", async () => {
  for (
    const [path, words, value] of [
      ["Departure/2025-04-01", "Departure is 2025-04-01 00:00:00", "ui.value"],
      ["Departure/..2025-04-01", "Departure is at most 2025-04-01 00:00:00", "ui.value"],
      ["Departure/2025-03-01..2025-04-01", "between 2025-03-01 and 2025-04-01 00:00:00", "ui.to"],
    ] as const
  ) {
    const page = await get(`/db/Demo/Sailing/${path}.html?limit=5&ui.change=1`);
    assert.match(page, new RegExp(`${words}</a>`));
    assert.match(page, new RegExp(`name="${value}"[^>]* value="2025-04-01 00:00:00"`));
  }
});

Deno.test("days of a column with times are the days of the times that are listed", async () => {
  const found = async (path: string) => {
    const rows = await (await service().fetch(`/db/Demo/Sailing/${path}/Departure.json?distinct`)).json();
    return [...new Set(rows.map((time: string) => time.slice(0, 10)))];
  };
  const form = "/db/Demo/Sailing.html?limit=5&ui.column=Departure&ui.is=any&ui.value=2025-04-01|2025-04-03";
  const [, path = ""] = /^\/db\/Demo\/Sailing\/(.*)\.html/.exec(await redirect(form) ?? "") ?? [];
  assert.deepEqual(await found(path), ["2025-04-01", "2025-04-03"]);
});

Deno.test("the label of a record leads to it and stays in sight, as long as it is among the columns", async () => {
  const first = async (path: string) => /<td class="first"><a [^>]*>([^<]*)</.exec(await get(path))?.[1];
  assert.equal(await first("/db/Demo/Port.html?limit=1"), "Bergen");
  assert.equal(await first("/db/Demo/Port/PortId,Locode,Name.html?limit=1"), "Bergen");
  assert.equal(await first("/db/Demo/Port/PortId,Locode.html?limit=1"), "NO BGO");
});

Deno.test("a filter behind a relation leads there and back, after the filters and before the columns", async () => {
  assert.equal(
    await redirect(
      "/db/Demo/Port/CountryCode/NO,DK/Name.html?limit=29&sort=Name&offset=29&ui.column=Vessel/Seats&ui.is=least&ui.value=100",
    ),
    "/db/Demo/Port/CountryCode/NO,DK/Vessel/Seats/100../Port/Name.html?limit=29&sort=Name",
  );
});

Deno.test("a filter that cannot be used is shown with its reason, and the list stays", async () => {
  const page = await get(`${VESSEL}&ui.column=Seats&ui.is=is&ui.value=many`);
  assert.match(page, /<details class="panel" open="open">/);
  assert.match(page, /<p class="complaint" role="alert">[^<]*Seats[^<]*many/);
  assert.match(page, /<option value="Seats" selected="selected">/);
  assert.match(page, /name="ui.value" value="many"/);
  assert.match(page, /<td class="first">/);
});

Deno.test("the filter of a boolean asks for the words that the list shows", async () => {
  const text = await (await service().fetch(
    "/db/Demo/Vessel.html?limit=1&ui.column=InService&ui.is=is&ui.value=maybe",
  )).text();
  assert.match(text, /<p class="complaint" role="alert">[^<]*InService[^<]*: expected yes or no</);
});

Deno.test("a filter of an unknown column is a complaint, not an error", async () => {
  const page = await get(`${VESSEL}&ui.column=Nothing&ui.is=is&ui.value=1`);
  assert.match(page, /role="alert">Choose a column and a comparison</);
});

Deno.test("columns are chosen and hidden by redirects to the list of their names", async () => {
  assert.equal(
    await redirect(`${VESSEL}&ui.show=Seats&ui.show=Name`),
    "/db/Demo/Vessel/Name,Seats.html?limit=29",
  );
  assert.equal(
    await redirect("/db/Demo/Vessel/Name,Seats.html?limit=29&ui.hide=Name"),
    "/db/Demo/Vessel/Seats.html?limit=29",
  );
  assert.equal(
    await redirect("/db/Demo/Amenity/Name.html?limit=29&ui.show=Name&ui.show=AmenityId"),
    "/db/Demo/Amenity.html?limit=29",
  );
});

/** The sentences of the chips of a page, and the address of the list without each. */
function chipsOf(page: string): readonly string[] {
  const chips = page.matchAll(
    /<li class="chip">(?:<a [^>]*>)?([^<]*)(?:<\/a>)?<a class="remove" href="([^"]*)"/g,
  );
  return [...chips].map(([, sentence, href]) => `${sentence} -> ${href}`);
}

Deno.test("each filter is a chip with the list without it", async () => {
  const path = "/db/Demo/Port/CountryCode/NO,DK/~Name/B*/Vessel/Seats/100../Port.html?limit=29";
  assert.deepEqual(chipsOf(await get(path)), [
    "Port: CountryCode is NO or DK -> /db/Demo/Port/~Name/B*/Vessel/Seats/100../Port.html?limit=29",
    "Port: Name does not begin with B -> /db/Demo/Port/CountryCode/NO,DK/Vessel/Seats/100../Port.html?limit=29",
    "Vessel: Seats is at least 100 -> /db/Demo/Port/CountryCode/NO,DK/~Name/B*.html?limit=29",
  ]);
});

Deno.test("a foreign key is sorted by the label that stands in its place", async () => {
  const page = await get("/db/Demo/Port.html?limit=29");
  assert.match(
    page,
    /<a class="sort" href="\/db\/Demo\/Port\.html\?limit=29&amp;sort=Country%2FName">CountryCode</,
  );
  assert.match(page, /sort=-Country%2FName">Sort descending</);
  const sorted = await get("/db/Demo/Port.html?limit=29&sort=-country/name");
  assert.match(
    sorted,
    /<th scope="col" aria-sort="descending"><a class="sort" href="[^"]*sort=Country%2FName">CountryCode</,
  );
  const labels = [...sorted.matchAll(/CountryCode\/[A-Z]+\.html">([^<]*)</g)].map(([, label = ""]) => label);
  assert.ok(labels.length > 20);
  assert.deepEqual(labels, labels.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
});

Deno.test("a filter leads to the form that changes it", async () => {
  const path =
    "/db/Demo/Port/Country/Name/Nor*/Port/CountryCode/NO,DK/Vessel/Seats/100..200/Port.html?limit=29";
  const page = await get(path);
  const links = [...page.matchAll(/<li class="chip"><a href="([^"]*)" aria-label="Change the filter /g)];
  const forms = await Promise.all(links.map(async ([, link = ""]) => {
    const [form = ""] = /<form class="drop-in".*?<\/form>/s.exec(await get(link.replaceAll("&amp;", "&"))) ??
      [];
    const [, action] = / action="([^"]*)"/.exec(form) ?? [];
    const chosen = [...form.matchAll(/<option value="([^"]*)"[^>]* selected="selected">/g)].map(([, value]) =>
      value
    );
    const typed = [...form.matchAll(/name="ui\.(?:value|to)"[^>]* value="([^"]*)"/g)].map(([, value]) =>
      value
    );
    return [action, ...chosen, ...typed].join(" ");
  }));
  assert.deepEqual(forms, [
    "/db/Demo/Port/CountryCode/NO,DK/Vessel/Seats/100..200/Port.html Country/Name begins Nor",
    "/db/Demo/Port/Country/Name/Nor*/Port/Vessel/Seats/100..200/Port.html CountryCode any NO|DK",
    "/db/Demo/Port/Country/Name/Nor*/Port/CountryCode/NO,DK.html Vessel/Seats range 100 200",
  ]);
  assert.doesNotMatch(await get(`${path}&ui.change=99`), /<details class="panel" open="open">/);
});

const VALUES: Readonly<Record<string, string>> = { any: "5|7", none: "5|7" };

const COMPARED = new Set(FILTERS.map(([fields]) => {
  const asked = new URLSearchParams(fields);
  return `${asked.get("ui.column")} ${asked.get("ui.is")}`;
}));

for (const compared of COMPARED) {
  const [column = "", is = ""] = compared.split(" ");
  Deno.test(`the form offers to filter ${column} by ${is}, and to change this`, async () => {
    const value = VALUES[is] ?? (column === "InService" ? "yes" : "5");
    const form = await get(`${VESSEL}&ui.filter=${column}`);
    assert.match(form, new RegExp(`<select [^>]*name="ui\\.is">.*<option value="${is}"`));
    const path = await redirect(`${VESSEL}&ui.column=${column}&ui.is=${is}&ui.value=${value}&ui.to=7`);
    const [, change = ""] = /<li class="chip"><a href="([^"]*)"/.exec(await get(path ?? "")) ?? [];
    const changing = await get(change.replaceAll("&amp;", "&"));
    assert.match(changing, new RegExp(`<option value="${is}" selected="selected">`));
  });
}

Deno.test("the filter of a foreign key asks for what the list shows in its place", async () => {
  const chosen = async (column: string) =>
    /<option value="([^"]*)"[^>]* selected="selected">/.exec(
      await get(`/db/Demo/Port.html?limit=1&ui.filter=${column}`),
    )?.[1];
  assert.equal(await chosen("CountryCode"), "Country/Name");
  assert.equal(await chosen("Locode"), "Locode");
  const own = await get("/db/Demo/Port.html?limit=1");
  assert.match(own, /<option value="Name" selected="selected">/, "the name of records is the first choice");
  const path = await redirect("/db/Demo/Port.html?limit=29&ui.column=Country/Name&ui.is=is&ui.value=Norway");
  assert.deepEqual(chipsOf(await get(path ?? "")), [
    "Country: Name is Norway -> /db/Demo/Port.html?limit=29",
  ]);
});

Deno.test("filters are said as cells are shown", async () => {
  const path = "/db/Demo/Sailing/Departure/2025-04-01T11:15:00/Vessel/InService/true/Sailing.html?limit=29";
  assert.deepEqual(chipsOf(await get(path)).map((chip) => chip.replace(/ -> .*/, "")), [
    "Sailing: Departure is 2025-04-01 11:15:00",
    "Vessel: InService is yes",
  ]);
});

Deno.test("the heading has the filters as a sentence", async () => {
  const headingOf = async (path: string) => /<h1>.*<\/h1>/.exec(await get(path))?.[0];
  assert.equal(
    await headingOf("/db/Demo/Port/CountryCode/NO,DK/Vessel/Seats/100../Port.html?limit=29"),
    '<h1>Port <span class="where">where Port: CountryCode is NO or DK and Vessel: Seats is at least 100</span></h1>',
  );
  assert.equal(await headingOf("/db/Demo/Port.html?limit=29"), "<h1>Port</h1>");
  const long = await headingOf(
    `/db/Demo/Port/Name/${"x".repeat(60)}/LocalName/${"y".repeat(60)}/Locode/NO.html?limit=29`,
  );
  assert.match(long ?? "", /LocalName is y{50,}.*…<\/span>/);
});

Deno.test("chosen columns still lead to their records, and foreign keys have the label of their record", async () => {
  const page = await get("/db/Demo/Vessel/VesselId/1/Name,HomePortId.html?limit=1&wantarray");
  assert.doesNotMatch(page, /<th[^>]*><a class="sort"[^>]*>VesselId/);
  const list = await get("/db/Demo/Vessel/Name,HomePortId.html?limit=1");
  assert.match(
    list,
    /<td class="first"><a href="\/db\/Demo\/Vessel\/VesselId\/1.html\?[^"]*">[^<]+<\/a><\/td>/,
  );
  assert.match(
    list,
    /<td><a href="\/db\/Demo\/Port\/PortId\/\d+.html">[A-Z][^<]+<\/a><\/td>/,
  );
});

Deno.test("a page counts its rows without a header, and with one if it is asked for", async () => {
  const plain = await service().fetch("/db/Demo/Country.html?limit=1");
  assert.match(await plain.text(), /<p>1&#8211;1 of \d+<\/p>/);
  assert.equal(plain.headers.get("rowhouse-all-record-count"), null);
  const counted = await service().fetch("/db/Demo/Country.html?limit=1&count");
  await counted.body?.cancel();
  assert.match(counted.headers.get("rowhouse-all-record-count") ?? "", /^\d+$/);
});

Deno.test("the pages of a list go on behind the last link if their number is unknown", async () => {
  const marks = async (path: string) => {
    const [, pages = ""] = /<nav aria-label="Pages"><ul>(.*?)<\/ul>/.exec(await get(path)) ?? [];
    return pages.split("</li>").slice(0, -1).map((item) => item.replace(/<[^>]*>/g, ""));
  };
  const query = "/query/bookings-by-year/year/2025.html?limit=29";
  assert.deepEqual(await marks(query), ["1", "2", "&#8230;"]);
  assert.deepEqual(await marks("/db/Demo/Vessel.html?limit=5"), ["1", "2", "3"]);
});

Deno.test("a page behind the last row leads back to those with rows", async () => {
  const text = await (await service().fetch("/db/Demo/Vessel.html?limit=5&offset=1000")).text();
  const [, pager = ""] = /<div class="pager">(.*?)<\/div>/s.exec(text) ?? [];
  const pages = [...pager.matchAll(/aria-label="Page (\d+)"/g)].map(([, number]) => number);
  assert.deepEqual(pages, ["1", "3"]);
  assert.match(pager, /^<p>No rows of 13<\/p>/);
  assert.match(await get("/db/Demo/Vessel/Seats/..2000.html?offset=500&limit=5"), /<p>No rows of \d+<\/p>/);
  // Numbers of this size cannot be counted up.
  assert.match(await get("/db/Demo/Vessel.html?offset=9007199254740991&limit=1"), /<p>No rows of 13<\/p>/);
  assert.match(
    await get("/db/Demo/Vessel/Name/nothing.html?offset=5&limit=5"),
    /<p>No rows fit the filters</,
  );
});

Deno.test("a list that its filters leave empty says so", async () => {
  assert.match(await get("/db/Demo/Vessel/Name/nothing.html?limit=29"), /<p>No rows fit the filters<\/p>/);
});

Deno.test("a list without rights to create has no button for it", async () => {
  assert.doesNotMatch(await get(VESSEL), /ui\.new/);
});

Deno.test("an error has the way to the pages above it that one may open", async () => {
  const wayTo = async (path: string, init?: RequestInit) => {
    const text = await (await service().fetch(path, init)).text();
    return [.../<nav class="crumbs".*<\/nav>/.exec(text)?.[0].matchAll(/href="([^"]*)"/g) ?? []].map((
      [, to],
    ) => to);
  };
  assert.deepEqual(await wayTo("/db/Demo/Vesel.html"), ["/", "/db.html", "/db/Demo.html"]);
  assert.deepEqual(await wayTo("/db/Demo/Port/PortId/99.html"), [
    "/",
    "/db.html",
    "/db/Demo.html",
    "/db/Demo/Port.html",
  ]);
  assert.deepEqual(await wayTo("/db/Vault/Vessel.html"), ["/", "/db.html"]);
  assert.deepEqual(await wayTo("/query/nothing.html"), ["/", "/query.html"]);
  assert.deepEqual(await wayTo("/userdef/admin.html"), []);
  const body = new FormData();
  body.set("ui.file", new File([Uint8Array.of(0xfc)], "latin1.csv"));
  const sent = { method: "POST", body, headers: { Accept: "text/html" } };
  assert.deepEqual((await wayTo("/ui/db/Demo/Port", sent)).at(-1), "/db/Demo/Port.html");
});

Deno.test("a list whose filters lead to no record offers the lists without one of them, and the table", async () => {
  const actionsOf = async (path: string) => {
    const answer = await service().fetch(path);
    assert.equal(answer.status, 404, path);
    const text = await answer.text();
    const [, actions = ""] = /<ul class="actions">(.*)<\/ul>/.exec(text) ?? [];
    return [...actions.matchAll(/href="([^"]*)">([^<]*)</g)].map(([, href, label]) => `${label}: ${href}`);
  };
  assert.deepEqual(await actionsOf("/db/Demo/Port/PortId/99.html"), [
    "Go to Port: /db/Demo/Port.html",
    "Home: /",
  ]);
  assert.deepEqual(await actionsOf("/db/Demo/Port/CountryCode/FI/PortId/1.html?limit=29"), [
    "Remove the filter CountryCode is FI: /db/Demo/Port/PortId/1.html?limit=29",
    "Remove the filter PortId is 1: /db/Demo/Port/CountryCode/FI.html?limit=29",
    "Go to Port: /db/Demo/Port.html",
    "Home: /",
  ]);
  assert.deepEqual(await actionsOf("/db/Demo/Vesel.html"), ["Go to Demo: /db/Demo.html", "Home: /"]);
});

Deno.test("similar names of an unknown table are links", async () => {
  const answer = await service().fetch("/db/Demo/Vesel/Name/x.html");
  assert.equal(answer.status, 404);
  assert.match(
    await answer.text(),
    /<h2>Did you mean<\/h2>\n<ul><li><a href="\/db\/Demo\/Vessel.html">Vessel<\/a>/,
  );
});

Deno.test("a message on a page has the letters that its header has as codes", async () => {
  const answer = await service().fetch("/db/Demo/Vesel%C3%A4%E2%80%AE%5Cu00e4.html");
  assert.match(
    await answer.text(),
    /<p>Cannot find table &quot;Veselä\\u202e\\\\u00e4&quot; in database &quot;Demo&quot;/,
  );
});

Deno.test("a record leads to the one before and after it in the list that its reader came from", async () => {
  const list = "/db/Demo/Port/CountryCode/NO/Name.html?sort=-Name&limit=3&offset=1";
  const names = await (await service().fetch("/db/Demo/Port/CountryCode/NO/Name.json?sort=-Name")).json();
  const page = await (await service().fetch(list)).text();
  const [, link = ""] = /<a href="([^"]+)">/.exec(page.slice(page.indexOf("<tbody>"))) ?? [];
  assert.match(link, /\?ui\.in=Port\/CountryCode\/NO\/Name\?sort=-Name%26[^&]*&amp;ui\.at=1$/);
  const open = async (href: string) => {
    const answer = await service().fetch(href.replaceAll("&amp;", "&"), { redirect: "manual" });
    const location = answer.headers.get("location");
    await answer.body?.cancel();
    return location ?? "";
  };
  const text = async (path: string) => await (await service().fetch(path)).text();
  const rel = (html: string, name: string) => new RegExp(`rel="${name}" href="([^"]+)"`).exec(html)?.[1];
  let record = await text(link.replaceAll("&amp;", "&"));
  assert.match(record, new RegExp(`<h1>${names[1]}</h1>`));
  const back = `href="${list.replaceAll("&", "&amp;")}">Back to the list<`;
  assert.ok(record.includes(back), "with its columns, on its page");
  record = await text(await open(rel(record, "prev") ?? ""));
  assert.match(record, new RegExp(`<h1>${names[0]}</h1>`));
  assert.equal(rel(record, "prev"), undefined);
  for (const name of names.slice(1)) {
    record = await text(await open(rel(record, "next") ?? ""));
    assert.match(record, new RegExp(`<h1>${name}</h1>`));
  }
  assert.ok(record.includes(back));
  const behind = await open(rel(record, "next") ?? "");
  assert.equal(behind, `${list}&ui.done=end`);
  assert.match(await text(behind), /role="status">The list has no more records\.</);
  const odd = await text(`/db/Demo/Port/PortId/1.html?ui.in=${encodeURIComponent('"><b>')}&ui.at=0`);
  assert.doesNotMatch(odd, /"><b>/);
  assert.doesNotMatch(await text("/db/Demo/Port/PortId/1.html?ui.in=Port&ui.at=x"), /rel="next"/);
  const away = [
    "../../unload-model/Demo",
    "Port/../../../logout",
    ".%2E/%2e./query/x",
    "../../load-model/Demo.html#",
  ];
  for (const list of away) {
    const page = `/db/Demo/Port/PortId/1.html?ui.in=${encodeURIComponent(list)}&ui.at=1`;
    assert.doesNotMatch(await text(page), /rel="(next|prev)"|Back to the list/, list);
  }
  const keyed = encodeURIComponent("Port?sort=Name&%61pikey=1234567890123456");
  const kept = await text(`/db/Demo/Port/PortId/1.html?ui.in=${keyed}&ui.at=1`);
  assert.equal(
    rel(kept, "next"),
    "/db/Demo/Port.html?sort=Name&amp;ui.open=2&amp;ui.behind=%2Fdb%2FDemo%2FPort%2FPortId%2F1",
    "without the key of somebody else",
  );
});

/** The values of a facet with their counts and links. */
function facetOf(page: string, column: string): readonly string[] {
  const [, facet = ""] = new RegExp(`<ul class="chips" aria-label="Frequent values of ${column}">(.*)</ul>`)
    .exec(page) ?? [];
  return [...facet.matchAll(/<li class="chip">(?:<a href="([^"]*)">)?([^<]*)(?:<\/a>)? ([\d,]+)</g)].map((
    [, href, label, count],
  ) => `${label}: ${count} -> ${href}`);
}

Deno.test("the frequent values of a column stand beside its list, and each filters it", async () => {
  const page = await get(
    "/db/Demo/Port/~CountryCode/NO.html?limit=5&offset=5&sort=Name&ui.facet=CountryCode",
  );
  const [first = "", ...others] = facetOf(page, "CountryCode");
  const [, label, count, href = ""] = /^(.*): (\d+) -> (.*)$/.exec(first) ?? [];
  assert.match(label ?? "", /^\S.* \([A-Z]{2}\)$/, "a foreign key has the name of its record");
  assert.ok(others.length > 0);
  const found = await get(href.replaceAll("&amp;", "&").replace(/limit=5/, "limit=500"));
  assert.equal(found.match(/<tr>/g)?.length, Number(count) + 1, "the header and the records");
  assert.match(page, /<td class="first">/, "the list is there");
  assert.match(page, /href="[^"]*limit=5&amp;offset=5&amp;sort=Name">Hide values</);
});

Deno.test("the menu of a column leads to its frequent values, unless they cannot be compared", async () => {
  const page = await get("/db/Demo/Port.html?limit=5");
  assert.match(page, /<a href="\/db\/Demo\/Port\.html\?limit=5&amp;ui\.facet=Name">Frequent values</);
  assert.equal((await service().fetch("/db/Demo/Port.html?limit=5&ui.facet=Nothing")).status, 400);
});

Deno.test("a filter for the text NULL, or one without characters, is not worded like one for a missing value", async () => {
  const headingOf = async (value: string) =>
    /<h1[^>]*>(.*?)<\/h1>/s.exec(await get(`/db/Demo/Port/Notes/${value}.html?limit=29`))?.[1];
  assert.match(await headingOf("NULL") ?? "", /Notes is “NULL”/);
  assert.match(await headingOf("empty") ?? "", /Notes is “empty”/);
  assert.match(await headingOf("%20") ?? "", /Notes is “ ”/);
  assert.match(await headingOf("%3Cnull%3E") ?? "", /Notes is NULL/);
});
