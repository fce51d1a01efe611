import assert from "node:assert/strict";
import { Browser, browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}
admin: {password: ${PASSWORD}-admin, databases: {Demo: {}}}
anna: {password: ${PASSWORD}, databases: {Demo: {}}}
olga: {password: ${PASSWORD}, dbdef: [view], querydef: [view]}
`;

const service = sharedService(homeOf({ users: USERS }));

const admin = () => browserOf(service(), "admin", `${PASSWORD}-admin`);

type Fields = readonly (readonly [name: string, value: string])[];

/** Sends a form of this browser; redirects are not followed. */
async function submit(browser: Browser, path: string, fields: Fields) {
  const { csrf_token: token = "" } = hiddenFields((await browser.get("/dbdef.html?ui.new")).text);
  return await browser.send(path, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: new URLSearchParams([["csrf_token", token], ...fields.map(([name, value]) => [name, value])]),
  });
}

Deno.test("the sections of the configuration are pages with what one may do there", async () => {
  const browser = await admin();
  for (
    const [path, text] of [
      [
        "/dbdef.html",
        /Add a database<.*href="\/dbdef\/Demo.html">Demo<\/a><\/td>.*<td>SQLite<\/td><td><span class="good">connected</s,
      ],
      ["/userdef.html", /Add a user<.*href="\/userdef\/anna.html">anna</s],
      ["/querydef.html", /Add a query<.*href="\/querydef\/bookings-by-year.html"/s],
      ["/query.html", /Add a query</],
      ["/querydef/bookings-by-year.html", /<dd>year: text<.*<dd>GET</s],
      [
        "/dbdef.html?ui.new",
        /<li><a href="\/dbdef.html">Databases<\/a><\/li><li><span aria-current="page">Add</,
      ],
      [
        "/userdef/anna.html?ui.edit",
        /<a href="\/userdef\/anna.html">anna<\/a><\/li><li><span aria-current="page">Edit</,
      ],
      ["/dbdef/Demo.html", /This database is connected, \d+ tables found.*>Disconnect</s],
      ["/userdef/public.html", /<td>Demo<\/td><td>all \d+ tables<\/td><td>read<\/td>/],
    ] as const
  ) {
    const page = await browser.get(path);
    assert.equal(page.status, 200);
    assert.match(page.text, text, path);
  }
});

Deno.test("a database is tested, refused at its field, added, seen by whom it is for, and disconnected", async () => {
  const browser = await admin();
  const file = `${service().home}/state/second.db`;
  await Deno.copyFile(`${service().home}/state/demo.db`, file);
  const base: Fields = [["ui.method", "POST"], ["ui.page", "new"], ["s.db_id", "Second"], [
    "s.db_type",
    "sqlite",
  ]];
  const outside = await submit(browser, "/ui/dbdef", [...base, ["s.db_name", "/etc/passwd"]]);
  assert.equal(outside.status, 400);
  assert.match(outside.text, /name="s\.db_name"[^>]* aria-invalid="true" value="\/etc\/passwd"/);
  const named = await submit(browser, "/ui/dbdef", [
    ["ui.method", "POST"],
    ["ui.page", "new"],
    [
      "s.db_id",
      "my shop!",
    ],
    ["s.db_type", "sqlite"],
    ["s.db_name", file],
  ]);
  assert.match(
    named.text,
    /name="s\.db_id"[^>]* aria-invalid="true"[^>]* value="my shop!"\/><\/div>\n<p class="complaint"[^>]*>Expected an id/,
  );
  assert.match(named.text, /role="alert">\d fields? needs? attention: /);
  const tested = await submit(browser, "/ui/dbdef", [...base, ["s.db_name", file], ["ui.check", "true"]]);
  assert.equal(tested.status, 200);
  assert.match(tested.text, /role="status">Connected/);
  assert.equal((await browser.get("/dbdef/Second.html")).status, 404);
  const made = await submit(browser, "/ui/dbdef", [
    ...base,
    ["s.db_name", file],
    ["b.autoconnect", "true"],
    ["ui.switches", "autoconnect"],
    ["ui.grant", "public"],
  ]);
  assert.deepEqual([made.status, made.headers.get("location")], [303, "/dbdef/Second.html?ui.done=created"]);
  const own = await browser.get("/db/Second/Vessel.html?limit=1");
  assert.match(own.text, /ui\.new/);
  const anybody = await service().fetch("/db/Second/Vessel.html?limit=1");
  assert.equal(anybody.status, 200);
  assert.doesNotMatch(await anybody.text(), /ui\.new/);
  const anna = await browserOf(service(), "anna", PASSWORD);
  assert.equal((await anna.get("/db/Second/Vessel.html?limit=1")).status, 403, "public is not everybody");
  const connected = (await browser.get("/dbdef/Second.html")).text;
  const ended = await submit(browser, "/ui/unload-model/Second", Object.entries(hiddenFields(connected)));
  assert.equal(ended.status, 303);
  const disconnected = (await browser.get(ended.headers.get("location") ?? "")).text;
  const told = (text: string) => [...text.matchAll(/role="status">([^<]*)/g)].map(([, each]) => each);
  assert.deepEqual(told(disconnected), ["This database is disconnected"], "the state is told once");
  const away = await browser.get("/db/Second/Vessel.html?limit=1");
  assert.equal(away.status, 503);
  assert.match(away.text, /<a class="button main" href="\/dbdef\/Second\.html">See the database<\/a>/);
  const others = await service().fetch("/db/Second/Vessel.html?limit=1");
  assert.doesNotMatch(await others.text(), /See the database/);
  await Deno.remove(file);
  const tried = await submit(browser, "/ui/load-model/Second", Object.entries(hiddenFields(disconnected)));
  const failed = (await browser.get(tried.headers.get("location") ?? "")).text;
  assert.deepEqual(
    told(failed),
    ["The service has been told to connect."],
    "the failure itself looks as before",
  );
  assert.match(failed, /role="alert">This database cannot be connected/);
});

Deno.test("the form of a new database says whom its choices give rights", async () => {
  const { text } = await (await admin()).get("/dbdef.html?ui.new");
  assert.match(text, /value="public"\/>admin with every right, and people without a login may read</);
  assert.match(text, /class="hint"[^>]*>Users who log in have their own rights only/);
  assert.doesNotMatch(text, /[Ee]verybody/);
});

Deno.test("the form of a database offers the installed types by their titles, and a broken title costs one", async () => {
  using folder = pluginFolder({
    "plugins/dialects/files/mod.ts": "",
    "plugins/dialects/files/dialect.json": '{"title": "A folder", "members": []}',
    "plugins/dialects/odd/mod.ts": "",
    "plugins/dialects/odd/dialect.json": '{"title": 7}',
  });
  const { files, ...rest } = homeOf({ users: USERS, ini: [`plugins_path = ${folder.path}`] });
  await using own = await startService({ ...rest, files: { ...files } });
  const browser = await browserOf(own, "admin", `${PASSWORD}-admin`);
  const { text } = await browser.get("/dbdef.html?ui.new");
  const [, select = ""] = /<select[^>]* name="s\.db_type"[^>]*>(.*?)<\/select>/s.exec(text) ?? [];
  const options = [...select.matchAll(/<option value="([^"]*)"( selected)?[^>]*>([^<]*)</g)];
  assert.deepEqual(options.map(([, value, selected, label]) => [value, label, selected !== undefined]), [
    ["files", "A folder", false],
    ["mysql", "MySQL or MariaDB", false],
    ["postgresql", "PostgreSQL", false],
    ["mssql", "SQL Server", false],
    ["sqlite", "SQLite", true],
    ["odd", "odd", false],
  ]);
  const only = [...text.matchAll(/data-only-if="s\.db_type\n([^"]*)"/g)].map(([, names = ""]) =>
    names.split("\n")
  );
  const server = ["mysql", "postgresql", "mssql", "odd"];
  assert.deepEqual(only, Array(8).fill(server));
  assert.match(
    text,
    new RegExp(
      `A folder: the whole path\\. SQLite: the whole path of the file, in ${own.home}/state\\. Other types`,
    ),
  );
  assert.match(await own.log(), /plugins\/dialects\/odd\/dialect\.json: title must be a text/);
});

Deno.test("a user is made with a matrix of rights, gets a key that is shown once, and the key has these rights", async () => {
  const browser = await admin();
  const matrix = (table: string, operation: string) =>
    [`m.${JSON.stringify(["Demo", table])}`, operation] as const;
  const made = await submit(browser, "/ui/userdef", [
    ["ui.method", "POST"],
    ["ui.page", "new"],
    ["s.user_id", "robot"],
    ["s.name", "A program"],
    ["b.enabled", "true"],
    ["ui.switches", "enabled"],
    ["ui.lists", "dbdef"],
    ["ui.databases", "Demo"],
    ["ui.use", "Demo"],
    ["ui.tables.Demo", "*"],
    ["ui.tables.Demo", "Amenity"],
    ["ui.tables.Demo", "Port"],
    matrix("Amenity", "read"),
    matrix("Amenity", "create"),
    matrix("Port", "same"),
  ]);
  assert.equal(made.status, 303);
  const stored = await browser.send("/userdef/robot.json", { method: "GET" });
  assert.deepEqual(JSON.parse(stored.text).databases, {
    Demo: { dbuser: "", access: { "*": [], Amenity: ["read", "create"] } },
  });
  const asked = Object.entries(hiddenFields((await browser.get("/userdef/robot.html")).text));
  const shown = await submit(browser, "/ui/userdef/robot", asked);
  assert.equal(shown.status, 200);
  assert.equal(shown.headers.get("cache-control"), "no-store");
  const [, key = ""] = /aria-label="API key">([\w-]{32,})</.exec(shown.text) ?? [];
  assert.match(shown.text, />This account has an API key\.<.*>Replace the key</);
  const status = async (path: string) => {
    return await statusOf(service().fetch(path, { headers: { apikey: key } }));
  };
  assert.deepEqual([await status("/db/Demo/Amenity.json"), await status("/db/Demo/Port.json")], [200, 403]);
  assert.doesNotMatch((await browser.get("/userdef/robot.html")).text, new RegExp(key));
  assert.match(
    (await browser.get("/userdef/anna.html")).text,
    /<td>Demo<\/td><td>all \d+ tables<\/td><td>read, create, change, delete<\/td>/,
  );
  const preview = await browser.get("/userdef/robot.html");
  assert.match(preview.text, /<td>Demo<\/td><td>Amenity<\/td><td>read, create<\/td>/);
  assert.doesNotMatch(preview.text, /<td>Port<\/td>/);
  const gone = await submit(browser, "/ui/userdef/robot", [["ui.method", "DELETE"], [
    "ui.next",
    "/userdef.html",
  ]]);
  assert.equal(gone.headers.get("location"), "/userdef.html?ui.done=deleted");
  assert.notEqual(await status("/db/Demo/Amenity.json"), 200);
});

Deno.test("a query with a mistake shows the database's words, is mended, and runs", async () => {
  const browser = await admin();
  const base: Fields = [
    ["ui.method", "POST"],
    ["ui.page", "new"],
    ["s.query_id", "ports-of"],
    ["s.database", "Demo"],
    ["o.http_methods", "GET"],
    ["ui.objects", "http_methods"],
    ["l.execute", "public\r\n"],
  ];
  const wrong = await submit(browser, "/ui/querydef", [
    ...base,
    ["s.sqlstr", "SELECT Nmae FROM Port"],
    ["ui.check", "true"],
  ]);
  assert.match(wrong.text, /role="alert">The database refuses it at line 1, character 8: [^<]*Nmae/);
  assert.match(wrong.text, />\nSELECT Nmae FROM Port<\/textarea>/);
  const lines: Fields = [["s.sqlstr", "SELECT\r\n  PortId,\r\n  Nmae FROM Port"], ["ui.check", "true"]];
  assert.match(
    (await submit(browser, "/ui/querydef", [...base, ...lines])).text,
    / at line 3, character 3: /,
  );
  const sql = "SELECT Name FROM Port\r\nWHERE CountryCode = :country";
  const right = await submit(browser, "/ui/querydef", [...base, ["s.sqlstr", sql], ["ui.check", "true"]]);
  const typed: Fields = [["s.sqlstr", sql], ["s.parameters.country", "integer"], [
    "ui.arg.country",
    "Norway",
  ]];
  const trial = await submit(browser, "/ui/querydef", [...base, ...typed, ["ui.check", "run"]]);
  assert.match(
    trial.text,
    /name="ui\.arg\.country"[^>]* aria-invalid="true".*class="complaint"[^>]*>Expected a whole/s,
  );
  const long: Fields = [["s.sqlstr", "SELECT hex(zeroblob(500000))"], ["ui.check", "run"]];
  const short = (await submit(browser, "/ui/querydef", [...base, ...long])).text;
  assert.match(short, /<td>0{300}…<\/td>/);
  const rows: Fields = [["s.sqlstr", "SELECT BookedAt, BookingId FROM Booking ORDER BY 2"], [
    "ui.check",
    "run",
  ]];
  assert.match(
    (await submit(browser, "/ui/querydef", [...base, ...rows])).text,
    /The first 20 rows<\/h2>.*<td>[\d-]{10} [\d:]{8}<\/td><td class="number">1<\/td>/s,
  );
  assert.match(right.text, /Parameters: country \(text\)\..*<td>Name<\/td><td>text<\/td>/s);
  assert.equal((await submit(browser, "/ui/querydef", [...base, ["s.sqlstr", sql]])).status, 303);
  const answer = await service().fetch("/query/ports-of/country/NO.json");
  assert.equal(answer.status, 200);
  assert.ok((await answer.json()).length > 0);
});

Deno.test("a value for a trial is marked at its own field, though a member has the name of its parameter", async () => {
  const browser = await admin();
  for (const name of ["id", "database"]) {
    const { text } = await submit(browser, "/ui/querydef", [
      ["ui.page", "new"],
      ["s.query_id", "named"],
      ["s.database", "Demo"],
      ["s.sqlstr", `SELECT Name FROM Port WHERE PortId = :${name}`],
      ["ui.check", "run"],
    ]);
    const marked = [...text.matchAll(/ name="([^"]+)"[^>]* aria-invalid="true"/g)].map(([, field]) => field);
    assert.deepEqual(marked, [`ui.arg.${name}`]);
  }
});

Deno.test("a parameter that is renamed in the form of a query leaves no type or value of its old name", async () => {
  const browser = await admin();
  const fields = (sql: string): Fields => [
    ["ui.objects", "parameters"],
    ["s.database", "Demo"],
    ["s.sqlstr", sql],
    ["s.parameters.least", "integer"],
  ];
  const old = "SELECT Name FROM Port WHERE PortId > :least";
  const made = await submit(browser, "/ui/querydef", [
    ["ui.method", "POST"],
    ["ui.page", "new"],
    ["s.query_id", "renamed"],
    ...fields(old),
  ]);
  assert.equal(made.status, 303, made.text);
  const renamed = fields("SELECT Name FROM Port WHERE PortId > :lowest");
  const checked = await submit(browser, "/ui/querydef/renamed", [
    ...renamed,
    ["ui.page", "edit"],
    ["ui.check", "true"],
  ]);
  assert.match(checked.text, /Parameters: lowest \(text\)\./);
  const tried = await submit(browser, "/ui/querydef/renamed", [
    ...renamed,
    ["ui.page", "edit"],
    ["ui.arg.least", "1"],
    ["ui.check", "run"],
  ]);
  assert.match(tried.text, /name="ui\.arg\.lowest"[^>]* aria-invalid="true".*class="complaint"[^>]*>Needs/s);
  const changed = await submit(browser, "/ui/querydef/renamed", [["ui.method", "PUT"], ...renamed]);
  assert.equal(changed.status, 303, changed.text);
  const { parameters } = JSON.parse((await browser.get("/querydef/renamed.json")).text);
  assert.deepEqual(parameters, {});
});

Deno.test("a query without methods says that nothing runs it", async () => {
  const browser = await admin();
  const fields: Fields = [
    ["ui.objects", "http_methods"],
    ["s.query_id", "idle"],
    ["s.database", "Demo"],
    ["s.sqlstr", "SELECT 1 AS one"],
    ["l.execute", "admin"],
  ];
  const checked = await submit(browser, "/ui/querydef", [...fields, ["ui.page", "new"], [
    "ui.check",
    "true",
  ]]);
  assert.match(checked.text, /accepts it, but no method runs it: choose GET if it only reads, else POST\./);
  assert.equal((await submit(browser, "/ui/querydef", [["ui.method", "POST"], ...fields])).status, 303);
  assert.match((await browser.get("/query/idle.html")).text, /No method runs this query\./);
});

Deno.test("a login that nobody has is marked where a query lists it, for those who may know", async () => {
  const browser = await admin();
  const made = await submit(browser, "/ui/querydef", [
    ["ui.method", "POST"],
    ["ui.page", "new"],
    ["s.query_id", "shared"],
    ["s.database", "Demo"],
    ["s.sqlstr", "SELECT 1 AS one"],
    ["ui.objects", "http_methods"],
    ["o.http_methods", "GET"],
    ["l.execute", "public\nadmin\nnobody"],
  ]);
  assert.equal(made.status, 303, made.text);
  const { text } = await browser.get("/querydef/shared.html");
  assert.match(text, /<dt>May run it<\/dt><dd>public, admin, nobody \(there is no such user\)<\/dd>/);
});

Deno.test("similar ids of an unknown definition are links", async () => {
  const browser = await admin();
  for (
    const [path, id] of [["dbdef/Dmo", "Demo"], ["querydef/bookings-by-yaer", "bookings-by-year"], [
      "userdef/anan",
      "anna",
    ]]
  ) {
    const { status, text } = await browser.get(`/${path}.html`);
    assert.equal(status, 404, text);
    assert.ok(text.includes(`<a href="/${path?.split("/")[0]}/${id}.html">${id}</a>`), text);
  }
});

Deno.test("the pages of data lead those who may to the definitions behind them", async () => {
  const browser = await admin();
  const ways = [["/db.html", "/dbdef.html?ui.new"], ["/db/Demo.html", "/dbdef/Demo.html"]] as const;
  for (const [path, to] of ways) {
    const own = await browser.get(path);
    const anybody = await (await service().fetch(path)).text();
    assert.deepEqual([own.text, anybody].map((text) => text.includes(`href="${to}"`)), [true, false], path);
  }
});

Deno.test("a definition leads to its tables or its form those who may go there", async () => {
  const olga = await browserOf(service(), "olga", PASSWORD);
  const boss = await admin();
  const ways = [
    ["/dbdef/Demo.html", "/db/Demo.html"],
    ["/querydef/bookings-by-year.html", "/query/bookings-by-year.html"],
  ] as const;
  for (const [path, to] of ways) {
    const [seen, own] = [await olga.get(path), await boss.get(path)];
    assert.equal(seen.status, 200, path);
    assert.deepEqual([seen.text, own.text].map((text) => text.includes(`href="${to}"`)), [false, true], path);
    assert.equal((await olga.get(to)).status, 403, to);
  }
});

Deno.test("one's own account has fewer fields, and a change of others' rights is refused like the request", async () => {
  const browser = await browserOf(service(), "anna", PASSWORD);
  const form = await browser.get("/userdef/anna.html?ui.edit");
  assert.match(form.text, /name="p\.current_password"/);
  assert.doesNotMatch(form.text, /ui\.databases|v\.dbdef/);
  const fields: Fields = [
    ["csrf_token", hiddenFields(form.text)["csrf_token"] ?? ""],
    ["ui.method", "PUT"],
    ["ui.page", "edit"],
    ["v.dbdef", "create"],
    ["ui.lists", "dbdef"],
  ];
  const refused = await browser.send("/ui/userdef/anna", {
    method: "POST",
    headers: { Origin: service().url },
    body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
  });
  assert.equal(refused.status, 403);
  assert.match(
    refused.text,
    /User &quot;anna&quot; may not change &quot;dbdef&quot; of &quot;\/userdef\/anna&quot;</,
  );
  assert.doesNotMatch(refused.text, /log in, or resend/, "she is logged in");
  assert.equal((await browser.get("/userdef/public.html")).status, 403);
});

Deno.test("attack: results and keys that a browser invents are not shown", async () => {
  const browser = await admin();
  const answer = await submit(browser, "/ui/querydef", [
    ["ui.method", "POST"],
    ["ui.page", "new"],
    ["ui.result", "{broken"],
    ["ui.key", "invented"],
    ["s.query_id", ""],
  ]);
  assert.equal(answer.status, 400);
  assert.doesNotMatch(answer.text, /invented|broken/);
});

for (const path of ["/ui/dbdef/%zz", "/ui/%zz", "/ui/userdef/a/b/c", "/ui/settings", "/ui/login"]) {
  Deno.test(`a form sent to ${path} is refused with a sentence`, async () => {
    const browser = await admin();
    for (
      const extra of [[], [["ui.check", "true"]], [["ui.method", "PATCH"]]] as Fields[]
    ) {
      const answer = await submit(browser, path, [...extra]);
      assert.ok(
        answer.status >= 400 && answer.status < 500,
        `${path} ${JSON.stringify(extra)}: ${answer.status}`,
      );
    }
  });
}
