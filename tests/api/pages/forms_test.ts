import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Browser, browserOf, hiddenFields, homeOf, logIn, PASSWORD } from "@/tests/api/login/home.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const USERS = `public: {databases: {Demo: {access: {"*": [read], Amenity: [read, create]}}}}
admin: {password: ${PASSWORD}-admin}
anna: {password: ${PASSWORD}, databases: {Demo: {}}}
reader: {password: ${PASSWORD}-reader, databases: {Demo: {access: {"*": [read]}}}}
`;

const service = sharedService(homeOf({ users: USERS }));

const anna = () => browserOf(service(), "anna", PASSWORD);

/** The fields of the form on a page as they are: what a browser would send. */
async function formOf(browser: Browser, path: string): Promise<Record<string, string>> {
  const page = await browser.get(path);
  assert.equal(page.status, 200, page.text);
  const inputs = [...page.text.matchAll(/<input type="text"[^>]* name="(c\.[^"]+)"[^>]*? value="([^"]*)"/g)];
  const selects = [
    ...page.text.matchAll(/<select[^>]* name="(c\.[^"]+)".*?<option value="([^"]*)" selected/g),
  ];
  const dates = [...page.text.matchAll(/<input type="date"[^>]* name="(c\.[^"]+)"[^>]*? value="([^"]*)"/g)];
  const typed = [...inputs, ...selects, ...dates].map(([, name = "", value = ""]) => [name, value]);
  return { ...hiddenFields(page.text), ...Object.fromEntries(typed) };
}

/** The last events of the audit log without their time and id. */
async function audited(count: number): Promise<readonly unknown[]> {
  const text = await Deno.readTextFile(`${service().home}/log/audit.log`);
  return text.trim().split("\n").slice(-count).map((line) => {
    const { action, outcome, user, method, target, status } = JSON.parse(line);
    return [action, outcome, user, method, target, status];
  });
}

Deno.test("a record is created, changed and deleted by forms, as a program would, also in the audit log", async () => {
  const browser = await anna();
  const create = await formOf(browser, "/db/Demo/Amenity.html?ui.new");
  const made = await browser.send("/ui/db/Demo/Amenity", {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: new URLSearchParams({ ...create, "c.Name": "Reading\r\nroom" }),
  });
  assert.equal(made.status, 303);
  const [, path = ""] = /^(\/db\/Demo\/Amenity\/AmenityId\/\d+)\.html\?ui\.done=created$/.exec(
    made.headers.get("location") ?? "",
  ) ?? [];
  assert.notEqual(path, "");
  const shown = await browser.get(`${path}.html?ui.done=created`);
  assert.match(shown.text, /role="status">It has been created\.</);
  assert.match(shown.text, /<dt>Name<\/dt><dd>Reading\nroom<\/dd>/);
  const edit = await formOf(browser, `${path}.html?ui.edit`);
  const post = (to: string, fields: Record<string, string>) =>
    browser.send(to, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: service().url },
      body: new URLSearchParams(fields),
    });
  const changed = await post(`/ui${path}`, { ...edit, "c.Name": "Library", "ui.next": "//evil.example/" });
  assert.equal(changed.headers.get("location"), `${path}.html?ui.done=changed`, "it stays in the service");
  const remove = await formOf(browser, `${path}.html?ui.delete`);
  const gone = await post(`/ui${path}`, remove);
  assert.deepEqual([gone.status, gone.headers.get("location")], [
    303,
    "/db/Demo/Amenity.html?ui.done=deleted",
  ]);
  assert.equal((await browser.get(`${path}.html`)).status, 404);
  assert.deepEqual(await audited(3), [
    ["write", "success", "anna", "POST", "/db/Demo/Amenity", 201],
    ["write", "success", "anna", "PUT", path, 204],
    ["write", "success", "anna", "DELETE", path, 204],
  ]);
});

Deno.test("a form that is refused comes back with what was typed and each mistake at its field", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Vessel/VesselId/1.html?ui.edit");
  const answer = await browser.post("/ui/db/Demo/Vessel/VesselId/1", {
    ...fields,
    "c.Name": "Fulmar & <co>",
    "c.Seats": "many",
    "c.LaunchedOn": "yesterday",
    "c.LengthMetres": "121,8125",
  });
  assert.equal(answer.status, 400);
  assert.match(answer.text, />'121,8125' is not a number: write 121\.8125</);
  assert.match(
    answer.text,
    /name="c\.Name" required="required" value="Fulmar &amp; &lt;co&gt;"/,
  );
  assert.match(
    answer.text,
    /name="c\.Seats"[^>]*aria-describedby="(b0-\d+-problem)" aria-invalid="true".*id="\1">'many' is not a whole/s,
  );
  assert.match(answer.text, /name="c\.LaunchedOn"[^>]*aria-invalid="true"/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.match(
    answer.headers.get("warning") ?? "",
    /^Could not parse JSON: The "Seats": .*is not a whole number/,
  );
});

Deno.test("a form says which of its columns is gone since it was opened", async () => {
  const browser = await anna();
  const answer = await browser.post("/ui/db/Demo/Amenity", {
    ...await formOf(browser, "/db/Demo/Amenity.html?ui.new"),
    "c.Name": "Cinema",
    "c.Floor": "2",
  });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /role="alert".*Floor: table &quot;Amenity&quot; has no such column/s);
  assert.match(answer.text, /name="c\.Name"[^>]* value="Cinema"/);
});

Deno.test("phones show digits alone, which have no minus, only for numbers that are never negative", async () => {
  const browser = await anna();
  const { text } = await browser.get("/db/Demo/Port/PortId/1.html?ui.edit");
  const digits = [...text.matchAll(/name="(c\.\w+)"[^>]* inputmode="decimal"/g)].map(([, name]) => name);
  assert.deepEqual(digits, ["c.PortId"]);
});

Deno.test("blanks around a number, a date or a time are not stored, and those of a text are", async () => {
  const browser = await anna();
  const path = "/db/Demo/Vessel/VesselId/4";
  const fields = sentForm((await browser.get(`${path}.html?ui.edit`)).text);
  fields.set("c.Name", " Teistin ");
  fields.set("c.Seats", " 289\u00a0");
  fields.set("c.LengthMetres", "84.5\t");
  fields.set("c.LaunchedOn", " 2001-06-09");
  const headers = { Origin: service().url };
  const saved = await browser.send(`/ui${path}`, {
    method: "POST",
    redirect: "manual",
    headers,
    body: fields,
  });
  assert.equal(saved.status, 303, saved.text);
  const { Name, Seats, LengthMetres, LaunchedOn } = await (await service().fetch(`${path}.json`)).json();
  assert.deepEqual([Name, Seats, LengthMetres, LaunchedOn], [" Teistin ", 289, 84.5, "2001-06-09"]);
});

Deno.test("a text that is too long comes back whole, with the number of characters that fit", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Vessel/VesselId/1.html?ui.edit");
  const name = "Fulmar ".repeat(7).trim();
  const answer = await browser.post("/ui/db/Demo/Vessel/VesselId/1", { ...fields, "c.Name": name });
  assert.equal(answer.status, 400);
  assert.match(answer.text, / is too long: at most 40 characters fit</);
  const [input = ""] = /<input [^>]*name="c\.Name"[^>]*>/.exec(answer.text) ?? [];
  assert.ok(input.includes(`value="${name}"`), input);
  assert.doesNotMatch(input, /maxlength/);
});

Deno.test("a field that needs a value is marked, and a text that may be empty says so", async () => {
  const browser = await anna();
  const { text } = await browser.get("/db/Demo/Port.html?ui.new");
  const fields = new Map(
    text.split('<div class="field">').slice(1).map((
      each,
    ) => [/<label[^>]*>([^<]*)/.exec(each)?.[1]?.trim(), each]),
  );
  for (const name of ["Locode", "Name", "CountryCode", "Latitude"]) {
    assert.match(fields.get(name) ?? "", /class="required".* required="required"/s, name);
  }
  assert.match(fields.get("LocalName") ?? "", /May be empty\./);
  for (const name of ["PortId", "LocalName", "Notes"]) {
    assert.doesNotMatch(fields.get(name) ?? "", /required/, name);
  }
});

Deno.test("an emptied field is NULL where the column has no empty text, and else an empty text", async () => {
  const browser = await anna();
  const path = "/db/Demo/Employee/EmployeeId/40";
  const { text } = await browser.get(`${path}.html?ui.edit`);
  const unfilled = [...text.matchAll(/name="ui\.unfilled" value="([^"]*)"/g)].map(([, name = ""]) => name);
  const fields = { ...await formOf(browser, `${path}.html?ui.edit`), "c.Email": "" };
  const send = (empty: Readonly<Record<string, string>>) =>
    browser.send(`/ui${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: service().url },
      body: new URLSearchParams([
        ...Object.entries({ ...fields, ...empty }),
        ...unfilled.map((name) => ["ui.unfilled", name] as [string, string]),
      ]),
    });
  const refused = await send({ "c.Salary": "", "c.BirthDate": "" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /1 field needs attention: Salary\..*>Must not be null</s);
  assert.equal((await send({ "c.BirthDate": "", "c.ReportsTo": "" })).status, 303);
  const { BirthDate, ReportsTo, Email } = await (await service().fetch(`${path}.json`)).json();
  assert.deepEqual({ BirthDate, ReportsTo, Email }, { BirthDate: null, ReportsTo: null, Email: "" });
});

Deno.test("a record that somebody else has changed shows both versions, and the second try is stored", async () => {
  const browser = await anna();
  const path = "/db/Demo/Vessel/VesselId/2";
  const fields = await formOf(browser, `${path}.html?ui.edit`);
  const other = await logIn(service(), "anna", PASSWORD);
  await other.body?.cancel();
  const Cookie = other.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
  const changed = await service().fetch(`${path}.json`, {
    method: "PUT",
    headers: { Cookie, "Content-Type": "application/json" },
    body: JSON.stringify({ Seats: 77, HomePortId: 1 }),
  });
  assert.equal(changed.status, 204);
  const late = await browser.post(`/ui${path}`, { ...fields, "c.Seats": "88" });
  assert.equal(late.status, 412);
  assert.match(late.text, /Somebody else has changed this record/);
  assert.match(late.text, /1 field needs attention: Seats\./);
  assert.match(late.text, /name="c\.HomePortId".*value="1" selected.*Now: 77</s);
  assert.match(late.text, /name="c\.Seats"[^>]* value="88"/);
  const again = { ...fields, ...hiddenFields(late.text), "c.Seats": "88" };
  const stored = await browser.send(`/ui${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: new URLSearchParams(again),
  });
  assert.equal(stored.status, 303);
});

Deno.test("a form for a record below another leaves out the foreign key, which the path gives", async () => {
  const browser = await anna();
  const page = await browser.get("/db/Demo/Port/PortId/1/Vessel.html?ui.new");
  assert.doesNotMatch(page.text, /name="c\.HomePortId"/);
  assert.match(page.text, /action="\/ui\/db\/Demo\/Port\/PortId\/1\/Vessel"/);
  const back = /href="\/db\/Demo\/Port\/PortId\/1\/Vessel\.html">Cancel</;
  assert.match(page.text, back);
  for (const purpose of ["new", "import"]) {
    const { status } = await browser.get(`/db/Demo/Port/PortId/999999/Vessel.html?ui.${purpose}`);
    assert.equal(status, 404, purpose);
    const one = await browser.get(`/db/Demo/Vessel/VesselId/1/Port.html?ui.${purpose}`);
    assert.equal(one.status, 400, purpose);
    assert.match(one.text, /it leads to a record that has to be there before/);
  }
  const several = await browser.get("/db/Demo/Port/PortId/1/Vessel.html?ui.import");
  assert.match(several.text, back);
  assert.match(several.text, /name="ui\.next" value="\/db\/Demo\/Port\/PortId\/1\/Vessel\.html"/);
});

Deno.test("a copy has the values of the record and a key of its own", async () => {
  const browser = await anna();
  const copied = async (path: string) => {
    const { text } = await browser.get(`${path}.html?ui.copy`);
    const values = [
      ...text.matchAll(
        /name="c\.(\w+)"[^>]* value="([^"]*)"|<select[^>]* name="c\.(\w+)".*?value="([^"]*)" selected/gs,
      ),
    ];
    return Object.fromEntries(
      values.map(([, name, value, chosen, option]) => [name ?? chosen, value ?? option]),
    );
  };
  const port = await copied("/db/Demo/Port/PortId/1");
  assert.deepEqual([port.PortId, port.Name, port.CountryCode], [undefined, "Bergen", "NO"]);
  assert.equal((await copied("/db/Demo/Fare/FareCode/ADULT")).FareCode, undefined);
  assert.deepEqual(await copied("/db/Demo/VesselAmenity/VesselId/1/AmenityId/8"), {
    VesselId: "1",
    AmenityId: "8",
  });
});

Deno.test("a copy says that the bytes of a file are not copied", async () => {
  const { text } = await (await anna()).get("/db/Demo/Vessel/VesselId/1.html?ui.copy");
  assert.match(text, />The file of the record \(401 bytes\) is not copied: choose one\.</);
  const { text: edit } = await (await anna()).get("/db/Demo/Vessel/VesselId/1.html?ui.edit");
  assert.match(edit, />The file of the record \(401 bytes\) stays unless you choose another\.</);
});

Deno.test("what the database refuses is told at the field that it names", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Port.html?ui.new");
  const sent = {
    ...fields,
    "c.Name": "Twin",
    "c.LocalName": "",
    "c.CountryCode": "NO",
    "c.Latitude": "1",
    "c.Longitude": "1",
  };
  const answer = await browser.post("/ui/db/Demo/Port", { ...sent, "c.Locode": "NO BGO" });
  assert.equal(answer.status, 409, answer.text);
  assert.match(answer.text, /role="alert">The database refuses this: UNIQUE/);
  assert.match(
    answer.text,
    /name="c\.Locode"[^>]*aria-invalid="true"[^>]*>\n?.*?<p class="complaint"[^>]*>Another record has this value already\.</s,
  );
  assert.equal(answer.text.match(/class="complaint"/g)?.length, 1);
  const edit = await formOf(browser, "/db/Demo/Port/PortId/2.html?ui.edit");
  const changed = await browser.post("/ui/db/Demo/Port/PortId/2", { ...edit, "c.Locode": "NO BGO" });
  assert.equal(changed.status, 422);
  assert.match(changed.text, /role="alert">The database refuses this: UNIQUE/, "in the same words");
  const stored = await browser.post("/ui/db/Demo/Port", { ...sent, "c.Locode": "NO TWN" });
  assert.equal(stored.status, 303, stored.text);
  const [port] = await (await service().fetch("/db/Demo/Port/Locode/NO TWN.json?wantarray")).json();
  assert.equal(port.LocalName, "", "an empty text is a value");
});

Deno.test("deleting tells how many records refer to the one that goes, and a refusal is shown there", async () => {
  const browser = await anna();
  const page = await browser.get("/db/Demo/Country/CountryCode/NO.html?ui.delete");
  assert.match(
    page.text,
    /<dt>Port<\/dt><dd><a href="\/db\/Demo\/Country\/CountryCode\/[A-Z]+\/Port.html">\d+ records?<\/a><\/dd>/,
  );
  const refused = await browser.post("/ui/db/Demo/Country/CountryCode/NO", hiddenFields(page.text));
  assert.equal(refused.status, 409);
  assert.match(
    refused.text,
    /Delete Norway\?.*Other records refer to it: delete or change them first\..*role="alert">/s,
  );
});

Deno.test("a foreign key that has to be searched tells which record it leads to now", async () => {
  const browser = await anna();
  const { text } = await browser.get("/db/Demo/Booking/BookingId/5.html?ui.edit");
  assert.match(text, /162 is Νίκος Ιωάννου\.<.*name="c\.CustomerId"[^>]* value="162"/s);
  assert.match(text, /name="c\.SoldBy"[^>]*>/);
  assert.match(text, /name="c\.BookedAt"[^>]* value="2025-02-21 00:00:19"/);
});

Deno.test("a search for a related record keeps what was typed, and changes nothing", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Vessel/VesselId/3.html?ui.edit");
  const answer = await browser.post("/ui/db/Demo/Vessel/VesselId/3", {
    ...fields,
    "c.Name": "Not stored",
    "c.HomePortId": "Berg",
    "ui.search": "HomePortId",
  });
  assert.equal(answer.status, 200);
  assert.match(answer.text, /value="Not stored"/);
  assert.match(answer.text, /<option value="1" selected="selected">Bergen \(1\)<\/option>/);
  assert.doesNotMatch(answer.text, /Troms/);
  assert.doesNotMatch((await browser.get("/db/Demo/Vessel/VesselId/3.html")).text, /Not stored/);
});

Deno.test("a name in place of a key is searched, and a search can be made again", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Booking/BookingId/1.html?ui.edit");
  const [customer] = await (await service().fetch("/db/Demo/Customer.json?limit=1&offset=300&href=false"))
    .json();
  const send = (text: string, also: Readonly<Record<string, string>> = {}) =>
    browser.post("/ui/db/Demo/Booking/BookingId/1", { ...fields, "c.CustomerId": text, ...also });
  const found = await send(customer.LastName);
  assert.equal(found.status, 400);
  assert.match(
    found.text,
    new RegExp(
      `<option value="${customer.CustomerId}".*aria-label="CustomerId: Search again">Search again<.*Choose the record that you mean`,
      "s",
    ),
  );
  assert.match(
    (await send("Atlantis")).text,
    /No record fits “Atlantis”\..*Search for another part of its name, or type its key\./s,
  );
  const again = await send("1", { "ui.search": "" });
  assert.equal(again.status, 200);
  assert.match(
    again.text,
    /<input[^>]* name="c\.CustomerId"[^>]* value="1".*value="CustomerId"[^>]*>Search</s,
  );
});

Deno.test("a search with several results asks to choose one, and one without results to search again", async () => {
  const browser = await anna();
  const fields = {
    ...await formOf(browser, "/db/Demo/Vessel/VesselId/3.html?ui.edit"),
    "ui.search": "HomePortId",
  };
  const search = async (text: string) =>
    (await browser.post("/ui/db/Demo/Vessel/VesselId/3", { ...fields, "c.HomePortId": text })).text;
  assert.match(
    await search("o"),
    /name="c\.HomePortId"[^>]*><option value="o" selected="selected">\d+ fit “o”: choose one<\/option><option value="\d+">/,
  );
  const { "ui.search": _, ...unanswered } = fields;
  const refused = await browser.post("/ui/db/Demo/Vessel/VesselId/3", { ...unanswered, "c.HomePortId": "o" });
  assert.equal(refused.status, 400);
  assert.match(
    refused.text,
    /role="alert">1 field needs attention: HomePortId\.<.*Choose the record that you mean/s,
  );
  assert.match(
    await search("Atlantis"),
    /No record fits “Atlantis”\.<.*name="c\.HomePortId"[^>]* value="Atlantis".*name="ui\.search"/s,
  );
});

const ATTACKS: readonly (readonly [name: string, headers: Record<string, string>, token: boolean])[] = [
  ["another site", { Origin: "https://evil.example" }, true],
  ["another site without its origin", { Origin: "null" }, false],
  ["another site, as the browser says", { "Sec-Fetch-Site": "cross-site" }, false],
  ["a program without the token", {}, false],
];

for (const [name, headers, hasToken] of ATTACKS) {
  Deno.test(`attack: a form of ${name} changes nothing`, async () => {
    const browser = await anna();
    const fields = await formOf(browser, "/db/Demo/Amenity/AmenityId/2.html?ui.edit");
    const { csrf_token: token = "", ...others } = fields;
    const sent = { ...others, "c.Name": "taken over", ...(hasToken ? { csrf_token: `${token}x` } : {}) };
    const answer = await browser.post("/ui/db/Demo/Amenity/AmenityId/2", sent, headers);
    assert.equal(answer.status, 403);
    assert.doesNotMatch((await browser.get("/db/Demo/Amenity/AmenityId/2.html")).text, /taken over/);
    for (const asks of ["ui.search", "ui.look"]) {
      const filled = await browser.post(
        "/ui/db/Demo/Amenity/AmenityId/2",
        { ...sent, [asks]: "Name" },
        headers,
      );
      assert.deepEqual([filled.status, filled.text.includes("taken over")], [403, false], asks);
    }
  });
}

Deno.test("attack: public creates only with the token of the browser or from an own page", async () => {
  const browser = new Browser(service());
  const fields = await formOf(browser, "/db/Demo/Amenity.html?ui.new");
  const { csrf_token: token = "", ...others } = fields;
  assert.notEqual(token, "");
  const send = (sent: Record<string, string>, headers: Record<string, string>) =>
    browser.send("/ui/db/Demo/Amenity", {
      method: "POST",
      redirect: "manual",
      headers,
      body: new URLSearchParams({ ...sent, "c.Name": crypto.randomUUID() }),
    });
  assert.equal((await send(others, {})).status, 403);
  assert.equal((await send(fields, { Origin: "https://evil.example" })).status, 403);
  assert.equal((await send(fields, {})).status, 303);
  assert.equal((await send(others, { Origin: service().url })).status, 303);
});

/** A form and the request of a program that does the same; both are refused or both are done. */
const MATRIX: readonly (readonly [purpose: string, method: string, path: string])[] = [
  ["new", "POST", "/db/Demo/Amenity"],
  ["edit", "PUT", "/db/Demo/Amenity/AmenityId/3"],
  ["copy", "POST", "/db/Demo/Amenity/AmenityId/3"],
  ["delete", "DELETE", "/db/Demo/Amenity/AmenityId/3"],
];

for (const [purpose, method, path] of MATRIX) {
  Deno.test(`a reader gets neither the form to ${purpose} nor the change`, async () => {
    const browser = await browserOf(service(), "reader", `${PASSWORD}-reader`);
    assert.equal((await browser.get(`${path}.html?ui.${purpose}`)).status, 403);
    const sent = { "ui.method": method, "ui.page": purpose, "c.Name": "x" };
    assert.equal((await browser.post(`/ui${path}`, sent)).status, 403);
    const record = await browser.get(path === "/db/Demo/Amenity" ? `${path}.html?limit=3` : `${path}.html`);
    assert.doesNotMatch(record.text, /\/db\/[^"]*ui\.(new|edit|copy|delete|import)/);
  });
}

Deno.test("a field with any number of parts is refused before memory is needed for them", async () => {
  const sent = await service().fetch("/ui/userdef/anna", {
    method: "POST",
    headers: { Origin: service().url },
    body: new URLSearchParams({ [`s.${"a.".repeat(300_000)}b`]: "" }),
  });
  assert.equal(sent.status, 400);
  assert.match(await sent.text(), /more than 10 parts/);
});

Deno.test("a form of a definition is at most a mebibyte: its JSON is parsed before the caller is known", async () => {
  for (
    const [path, isRefused] of [["/userdef/anna", true], ["/query/x", true], [
      "/db/Demo/Amenity",
      false,
    ]] as const
  ) {
    const sent = await service().fetch(`/ui${path}`, {
      method: "POST",
      headers: { Origin: service().url, Accept: "text/html" },
      body: new URLSearchParams({ "ui.method": "PUT", "t.x": `{"a":${"[".repeat(400_000)}` }),
    });
    const words = />What you sent is too large: at most 1,048,576 bytes are accepted</;
    assert.equal(words.test(await sent.text()), isRefused, path);
    assert.equal(sent.status === 413, isRefused, `${path}: ${sent.status}`);
  }
});

Deno.test("megabytes in a search, or in what becomes part of an address, are left out", async () => {
  const browser = await anna();
  const searched = await browser.post("/ui/db/Demo/Booking", {
    ...hiddenFields((await browser.get("/db/Demo/Booking.html?ui.new")).text),
    "ui.search": "CustomerId",
    "c.CustomerId": "_".repeat(9_000_000),
  });
  assert.equal(searched.status, 200);
  const shown = await service().fetch("/ui/db/Demo/Amenity", {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: new URLSearchParams({ "ui.page": "a".repeat(1_000_000) }),
  });
  await shown.body?.cancel();
  assert.ok((shown.headers.get("location") ?? "").length < 1000);
});

Deno.test("a field that becomes a header is refused where no header can have it", async () => {
  for (const name of ["ui.match", "csrf_token"]) {
    for (const value of ["\0", "\ud800", "a\r\nX-Other: b", "ä", '", "*']) {
      const sent = await service().fetch("/ui/db/Demo/Amenity/AmenityId/1", {
        method: "POST",
        headers: { Origin: service().url },
        body: new URLSearchParams({ "ui.method": "PUT", "c.Name": "x", [name]: value }),
      });
      assert.equal(sent.status, 400, await sent.text());
    }
  }
});

Deno.test("the address of a form leads to its page when it is loaded again, and other methods are refused", async () => {
  const page = await service().fetch("/ui/db/Demo/Amenity/AmenityId/1", { redirect: "manual" });
  assert.deepEqual([page.status, page.headers.get("location")], [303, "/db/Demo/Amenity/AmenityId/1.html"]);
  for (
    const path of ["/ui//evil.example/x", "/ui///evil.example", "/ui/\\evil.example/x", "/ui//", "/ui/\\"]
  ) {
    const away = await sendRaw(service().port, { target: path });
    assert.deepEqual([away.status, away.headers.get("location")], [404, null], path);
  }
  const unencoded = await sendRaw(service().port, { target: "/ui/db/Demo/Amenity/Name/B\u00e5\u2028" });
  assert.deepEqual([unencoded.status, unencoded.headers.get("location")], [
    303,
    "/db/Demo/Amenity/Name/B%C3%A5%E2%80%A8.html",
  ]);
  for (const path of ["/ui", "/ui/", "/ui/db/Demo/Amenity"]) {
    const answer = await service().fetch(path, { method: "PUT", body: "x" });
    await answer.body?.cancel();
    assert.equal(answer.status === 404 || answer.status === 405, true, `${path} ${answer.status}`);
  }
  assert.equal(await statusOf(service().fetch("/ui/db/Demo/Amenity", { method: "POST", body: "x" })), 415);
});

Deno.test("bytes are downloaded without a way to run, and pictures are shown as such", async () => {
  const answer = await service().fetch("/ui/raw/db/Demo/Vessel/VesselId/1/Pennant");
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.equal(answer.headers.get("content-security-policy"), "default-src 'none'; sandbox");
  assert.equal(answer.headers.get("cross-origin-resource-policy"), "same-origin");
  assert.equal(new TextDecoder("latin1").decode((await answer.bytes()).slice(1, 4)), "PNG");
  const page = await (await service().fetch("/db/Demo/Vessel/VesselId/1/Pennant.html")).text();
  assert.match(page, /<a class="button" href="[^"]*\/Pennant" download="Pennant">/);
  const name = await service().fetch("/ui/raw/db/Demo/Vessel/VesselId/1/Name");
  assert.deepEqual(
    [name.headers.get("content-type"), name.headers.get("content-disposition")],
    ["application/octet-stream", "attachment"],
  );
  await name.body?.cancel();
  for (
    const path of ["/ui/raw/db/Demo/Vessel/VesselId/1", "/ui/raw/db/Demo/Vessel", "/ui/raw/userdef/admin/x"]
  ) {
    const refused = await service().fetch(path);
    await refused.body?.cancel();
    assert.equal(refused.status >= 400 && refused.status < 500, true, `${path} ${refused.status}`);
  }
});

Deno.test("many records come at once from lines of CSV, all or none, with complaints by row", async () => {
  const browser = await anna();
  const page = await browser.get("/db/Demo/Amenity.html?ui.import");
  assert.match(page.text, /AmenityId,Name/);
  const hidden = hiddenFields(page.text);
  const csv = (lines: string) => ({ ...hidden, "ui.csv": lines });
  const wrong = await browser.post("/ui/db/Demo/Amenity", csv("AmenityId,Name\r\n901,Pool\r\nx,Gym\r\n"));
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /<dt>Row 3, AmenityId<\/dt><dd>'x' is not a whole number<\/dd>/);
  assert.match(wrong.text, />\nAmenityId,Name\r?\n901,Pool/);
  const many = await browser.post("/ui/db/Demo/Amenity", csv(`Name,Nmae\n${"Pool,Pool\n".repeat(300)}`));
  const [mistakes = ""] = /There is a mistake; nothing is imported\..*?<\/dl>/s.exec(many.text) ?? [];
  assert.deepEqual(mistakes.match(/<dt>[^<]*/g), ["<dt>Row 2, Nmae"]);
  assert.match(mistakes, /the nearest is &quot;Name&quot;, as in other rows</);
  const twice = await browser.post("/ui/db/Demo/Amenity", csv('AmenityId,Name\n901,"Pool\nwarm"\n901,Gym\n'));
  assert.equal(twice.status, 409);
  assert.match(
    twice.text,
    /There is a mistake; nothing is imported\..*<dt>Row 3<\/dt><dd>The database refuses this: UNIQUE constraint failed/s,
  );
  assert.equal((await browser.get("/db/Demo/Amenity/AmenityId/901.html")).status, 404);
  const right = await browser.send("/ui/db/Demo/Amenity", {
    method: "POST",
    redirect: "manual",
    headers: { Origin: service().url },
    body: new URLSearchParams(csv('Name\n"Pool, heated"\nGym\n')),
  });
  assert.deepEqual([right.status, right.headers.get("location")], [
    303,
    "/db/Demo/Amenity.html?ui.done=imported",
  ]);
  const done = await browser.get("/db/Demo/Amenity.html?limit=1&ui.done=imported");
  assert.match(done.text, /role="status">The records have been created\.</);
  assert.match((await browser.get("/db/Demo/Amenity.html?limit=500")).text, /Pool, heated/);
});

Deno.test("a file is saved if its form is within the limit of a body, and refused with that limit otherwise", async () => {
  const limit = 100_000;
  await using own = await startService(homeOf({ users: USERS, ini: [`max_body_size = ${limit}`] }));
  const browser = await browserOf(own, "anna", PASSWORD);
  const path = "/db/Demo/Vessel/VesselId/1";
  const hidden = hiddenFields((await browser.get(`${path}.html?ui.edit`)).text);
  for (const [size, status] of [[limit - 5000, 303], [limit + 1, 413]] as const) {
    const fields = { ...hidden, "c.Pennant": new File([new Uint8Array(size)], "pennant") };
    const sent = await sendFiles(browser, `/ui${path}`, fields, own.url);
    assert.equal(sent.status, status, sent.text);
    if (status === 413) assert.match(sent.text, /too large: at most 100000 bytes/);
    const stored = await browser.get(`/ui/raw${path}/Pennant`);
    assert.equal(stored.text.length, limit - 5000);
  }
});

/** Sends a form as browsers send one with files. */
async function sendFiles(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string | File>>,
  origin = service().url,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return await browser.send(path, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: origin },
    body,
  });
}

Deno.test("a text whose values a check lists is a choice of them", async () => {
  const browser = await anna();
  const page = await browser.get("/db/Demo/Sailing/SailingId/1.html?ui.edit");
  const [, options = ""] = /<select [^>]*name="c\.Status"[^>]*>(.*?)<\/select>/.exec(page.text) ?? [];
  assert.deepEqual(options.match(/(?<=value=")[^"]*/g), ["scheduled", "arrived", "cancelled"]);
});

Deno.test("lines are shown as they are read, with tabs as in spreadsheets, before they become records", async () => {
  const browser = await anna();
  const hidden = hiddenFields((await browser.get("/db/Demo/Vessel.html?ui.import")).text);
  const look = async (lines: string) =>
    await browser.post("/ui/db/Demo/Vessel", { ...hidden, "ui.csv": lines, "ui.look": "true" });
  const names = ["Name", "CallSign", "HomePortId", "LaunchedOn", "Seats", "LengthMetres", "Pennant"].join(
    "\t",
  );
  const lines = Array.from(
    { length: 7 },
    (_, index) => `Look <${index}>, "1"\tX${index}\t1\t2020-01-01\t5\t3\t`,
  );
  const quoted = lines.map((line) => line.replace(/^[^\t]*/, (name) => `"${name.replaceAll('"', '""')}"`));
  const right = await look([names, ...quoted].join("\n"));
  assert.equal(right.status, 200);
  assert.match(right.text, /<h2 id="first">7 records, the first 5<\/h2>/);
  assert.match(
    right.text,
    /<tr><td>Look &lt;4&gt;, &quot;1&quot;<\/td><td>X4<\/td>.*<td><code>NULL<\/code><\/td><\/tr>/,
  );
  assert.doesNotMatch(right.text, /<td>Look &lt;5/);
  const wrong = await look(`${names}\nA\tB\t1\t2020-13-01\tmany\t3\t\n`);
  assert.match(wrong.text, /There are 2 mistakes; nothing is imported\..*<dt>Row 2, Seats<\/dt>/s);
  assert.match((await look("Name,InService\nA,maybe\n")).text, />'maybe' is not yes or no</);
  const none = await browser.post("/ui/db/Demo/Vessel", { ...hidden, "ui.csv": names });
  assert.equal(none.status, 400);
  for (const { text } of [await look(""), await look(names), none]) {
    assert.match(text, /<p role="status">There are no records in the lines: paste some, or choose a file\.</);
    assert.doesNotMatch(text, /role="alert"/);
  }
  const short = await look("Name,Seats\nA\n");
  assert.match(short.text, /role="alert">Could not parse CSV: line 2 has 1 field, not 2/);
  const list = await service().fetch("/db/Demo/Vessel/CallSign/X0,B.json");
  assert.deepEqual(await list.json(), []);
});

Deno.test("bytes are stored from a file, stay without one, and go with the switch", async () => {
  const browser = await anna();
  const path = "/db/Demo/Vessel/VesselId/3";
  const raw = async () => await (await service().fetch(`${path}/Pennant.json`)).json();
  const edit = async () => {
    const page = await browser.get(`${path}.html?ui.edit`);
    assert.match(page.text, /enctype="multipart\/form-data"/);
    return { page: page.text, fields: await formOf(browser, `${path}.html?ui.edit`) };
  };
  const bytes = new Uint8Array(1500).fill(128).with(1, 255);
  const file = new File([bytes], "pennant.bin");
  const first = await sendFiles(browser, `/ui${path}`, { ...(await edit()).fields, "c.Pennant": file });
  assert.equal(first.status, 303, first.text);
  assert.equal(await raw(), bytes.toBase64());
  const refused = await sendFiles(browser, `/ui${path}`, {
    ...(await edit()).fields,
    "c.LaunchedOn": "soon",
    "c.Pennant": new File(["other"], "other.bin"),
  });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /fields? needs? attention: .*Pennant/);
  assert.match(refused.text, /The file that you chose is not kept: choose it again\./);
  const { page, fields } = await edit();
  assert.match(page, /The file of the record \(1,500 bytes\) stays unless you choose another\./);
  assert.doesNotMatch(page, new RegExp(bytes.toBase64()));
  const none = { ...fields, "c.Pennant": new File([], "") };
  assert.equal((await sendFiles(browser, `/ui${path}`, none)).status, 303);
  assert.equal(await raw(), bytes.toBase64());
  const switched = { ...(await edit()).fields, "c.Pennant": new File([], ""), "n.Pennant": "true" };
  assert.equal((await sendFiles(browser, `/ui${path}`, switched)).status, 303);
  assert.equal(await raw(), null);
});

Deno.test("the lines of a CSV file become records, and parts without their boundary are refused", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Amenity.html?ui.import");
  const file = new File(["Name\r\nReading corner\r\nSnug\r\n"], "amenities.csv");
  const answer = await sendFiles(browser, "/ui/db/Demo/Amenity", {
    ...fields,
    "ui.csv": "",
    "ui.file": file,
  });
  assert.equal(answer.status, 303, answer.text);
  const list = await service().fetch("/db/Demo/Amenity/Name/Snug,Reading corner/Name.json");
  assert.equal((await list.json()).length, 2);
  const breaks = (name: string) => `Name\r\n"${name} 1\r\nx"\r\n"${name} 2\nx"\r\n`;
  const twoLines = new File([breaks("File")], "two.csv");
  for (const sent of [{ "ui.csv": breaks("Pasted") }, { "ui.csv": "", "ui.file": twoLines }]) {
    assert.equal((await sendFiles(browser, "/ui/db/Demo/Amenity", { ...fields, ...sent })).status, 303);
  }
  const found = await service().fetch("/db/Demo/Amenity/Name/*%0Ax/Name.json?sort=AmenityId");
  assert.deepEqual(await found.json(), ["Pasted 1\nx", "Pasted 2\nx", "File 1\r\nx", "File 2\nx"]);
  const unicode = Buffer.from("\ufeffAmenityId\tName\r\n900\tКътник\r\n", "utf16le");
  const spreadsheet = new File([new Uint8Array(unicode)], "unicode.txt");
  const saved = await sendFiles(browser, "/ui/db/Demo/Amenity", { ...fields, "ui.file": spreadsheet });
  assert.equal(saved.status, 303, saved.text);
  const made = await service().fetch("/db/Demo/Amenity/AmenityId/900/Name.json");
  assert.deepEqual(await made.json(), "Кътник");
  const long = new File([`Name\n${"Deck\n".repeat(250_000)}`], "long.csv");
  const looked = await sendFiles(browser, "/ui/db/Demo/Amenity", {
    ...fields,
    "ui.file": long,
    "ui.look": "true",
  });
  assert.match(looked.text, /250,000 records, the first 5<.*choose the file again\./s);
  assert.ok(looked.text.length < 50_000);
  const latin = new File([new Uint8Array([0x4e, 0x61, 0x6d, 0x65, 0x0a, 0xfc])], "latin.csv");
  const unread = await sendFiles(browser, "/ui/db/Demo/Amenity", { ...fields, "ui.file": latin });
  assert.equal(unread.status, 400);
  assert.match(
    unread.text,
    /<h1>Import into Amenity<.*role="alert">[^<]*latin\.csv[^<]*not UTF-8 text.*CSV UTF-8/s,
  );
  const broken = await browser.send("/ui/db/Demo/Amenity", {
    method: "POST",
    headers: { Origin: service().url, "Content-Type": "multipart/form-data; boundary=x" },
    body: "no parts",
  });
  assert.equal(broken.status, 400, broken.text);
  assert.match(broken.text, /boundary/);
});

Deno.test("a spreadsheet gets formulas as texts, and programs get values as they are", async () => {
  const lines = ["Name", '"=1+1"', "@home", "-sum", "-5", "-1+cmd|x", "-1.5e-7", "plain"].join("\r\n");
  const made = await service().fetch("/db/Demo/Amenity.csv", {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`anna:${PASSWORD}`)}`, "Content-Type": "text/csv" },
    body: lines,
  });
  assert.equal(made.status, 201, await made.text());
  const names =
    "/db/Demo/Amenity/Name/=1+1,@home,-sum,-5,-1+cmd|x,-1%2E5e-7,plain/Name.csv?sort=AmenityId&headers=false";
  const plain = await (await service().fetch(names)).text();
  assert.equal(plain, "=1+1\r\n@home\r\n-sum\r\n-5\r\n-1+cmd|x\r\n-1.5e-7\r\nplain\r\n");
  const safe = await (await service().fetch(`${names}&escape_formulas`)).text();
  assert.equal(safe, "'=1+1\r\n'@home\r\n'-sum\r\n-5\r\n'-1+cmd|x\r\n-1.5e-7\r\nplain\r\n");
  const amenity = "/db/Demo/Amenity.html?limit=5";
  for (const path of [amenity, `${amenity}&transpose`, "/db/Demo/Amenity/AmenityId/1.html"]) {
    const text = await (await service().fetch(path)).text();
    assert.match(
      text,
      /\.csv\?(?:transpose&amp;)?bom=true&amp;escape_formulas=true" download="Amenity\.csv">Spreadsheet/,
      path,
    );
  }
});

Deno.test("a form that is sent while its database is away keeps what was typed, and can be sent again", async () => {
  const browser = await anna();
  const fields = await formOf(browser, "/db/Demo/Vessel/VesselId/3.html?ui.edit");
  const admin = await browserOf(service(), "admin", `${PASSWORD}-admin`);
  const operate = async (name: string) =>
    assert.equal((await admin.post(`/ui/${name}/Demo`, { "ui.method": "POST" })).status, 303);
  await operate("unload-model");
  const kept = await browser.post("/ui/db/Demo/Vessel/VesselId/3", { ...fields, "c.Name": "Kept" });
  assert.equal(kept.status, 503);
  assert.match(kept.text, /is disconnected.*This page keeps what you typed\..*Name: Kept/s);
  await operate("load-model");
  const saved = await browser.post("/ui/db/Demo/Vessel/VesselId/3", hiddenFields(kept.text));
  assert.equal(saved.headers.get("location"), "/db/Demo/Vessel/VesselId/3.html?ui.done=changed");
  assert.match((await browser.get("/db/Demo/Vessel/VesselId/3.html")).text, /<h1>Kept</);
});

Deno.test("behind a record that a change has taken out of its list, no record is left out", async () => {
  const browser = await anna();
  const names = ["Queue a", "Queue b", "Queue c", "Queue d"];
  await browser.post("/ui/db/Demo/Amenity", {
    ...await formOf(browser, "/db/Demo/Amenity.html?ui.import"),
    "ui.csv": ["Name", ...names].join("\n"),
  });
  const hrefIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const list = (await browser.get("/db/Demo/Amenity/Name/Queue*.html?limit=9")).text;
  let record = await browser.get(hrefIn(list, /<a href="([^"]*ui\.at=0)">/));
  for (const [index, name] of names.entries()) {
    assert.match(record.text, new RegExp(`<h1>${name}<`));
    const edit = hrefIn(record.text, /class="button main" href="([^"]*)"/);
    const [path = ""] = edit.slice("/db".length).split(".html");
    // The second one stays in the list.
    const changed = index === 1 ? name : `Done ${index}`;
    const fields = { ...await formOf(browser, edit), "c.Name": changed };
    const saved = await browser.post(`/ui/db${path}`, fields);
    const shown = (await browser.get(saved.headers.get("location") ?? "")).text;
    const next = await browser.get(hrefIn(shown, /rel="next" href="([^"]*)"/));
    record = await browser.get(next.headers.get("location") ?? "");
  }
  assert.match(record.text, /The list has no more records\./);
});

Deno.test("a record that is opened from a list keeps its place there through its forms", async () => {
  const browser = await anna();
  const place = "ui.in=Port/CountryCode/NO?sort=Name&ui.at=2";
  const own = "/db/Demo/Port/PortId/1.html";
  const shown = (await browser.get(`${own}?${place}`)).text;
  const links = [...shown.matchAll(/class="button[^"]*" href="([^"]*ui\.(?:edit|copy|delete)[^"]*)"/g)];
  const [edit = "", copy = "", remove = ""] = links.map(([, href = ""]) => href.replaceAll("&amp;", "&"));
  const forms = ["edit", "copy", "delete"].map((form) => `${own}?ui.${form}&${place}`);
  assert.deepEqual([edit, copy, remove], forms);
  const fields = { ...await formOf(browser, edit), "c.LocalName": "Bjørgvin" };
  const refused = await browser.post("/ui/db/Demo/Port/PortId/1", { ...fields, "c.Latitude": "north" });
  assert.equal(refused.status, 400);
  const saved = await browser.post("/ui/db/Demo/Port/PortId/1", {
    ...fields,
    ...hiddenFields(refused.text),
    "c.Latitude": "60.4",
  });
  assert.equal(saved.headers.get("location"), `${own}?ui.done=changed&${place}`);
  const list = "/db/Demo/Port/CountryCode/NO.html?sort=Name";
  const asked = (await browser.get(remove)).text;
  assert.equal(hiddenFields(asked)["ui.next"], list);
  const copied = (await browser.get(copy)).text;
  assert.equal(hiddenFields(copied)["ui.in"], undefined, "the copy has no place in the list");
  for (const form of [asked, copied]) {
    assert.ok(form.includes(`href="${own}?${place.replace("&", "&amp;")}">Cancel<`));
  }
});

Deno.test("a field that only its reader has changed is none that two have changed", async () => {
  const browser = await anna();
  const path = "/db/Demo/Employee/EmployeeId/12";
  const fields = await formOf(browser, `${path}.html?ui.edit`);
  const changed = await browser.send(`${path}.json`, {
    method: "PUT",
    headers: { Origin: service().url, "Content-Type": "application/json" },
    body: JSON.stringify({ LastName: "Theirs", Title: "Theirs" }),
  });
  assert.equal(changed.status, 204, changed.text);
  const mine = { "c.FirstName": "Mine", "c.LastName": "Mine", "c.ReportsTo": "1" };
  const late = await browser.post(`/ui${path}`, { ...fields, ...mine });
  assert.equal(late.status, 412);
  assert.match(late.text, /1 field needs attention: LastName\./);
  assert.match(late.text, /name="c\.FirstName"[^>]* value="Mine"/);
  assert.deepEqual([...late.text.matchAll(/Now: [^<]*/g)].flat(), ["Now: Theirs"]);
});

Deno.test("a record that somebody else changes before its form is shown again is not overwritten", async () => {
  const browser = await anna();
  const path = "/db/Demo/Vessel/VesselId/4";
  const fields = await formOf(browser, `${path}.html?ui.edit`);
  const changed = await browser.send(`${path}.json`, {
    method: "PUT",
    headers: { Origin: service().url, "Content-Type": "application/json" },
    body: JSON.stringify({ Seats: 66, Name: "Theirs" }),
  });
  assert.equal(changed.status, 204, changed.text);
  const searched = await browser.post(`/ui${path}`, {
    ...fields,
    "c.Seats": "55",
    "ui.search": "HomePortId",
  });
  assert.equal(searched.status, 200);
  const late = await browser.post(`/ui${path}`, {
    ...fields,
    ...hiddenFields(searched.text),
    "c.Seats": "55",
  });
  assert.equal(late.status, 412);
  assert.match(late.text, /Now: 66</);
  assert.match(late.text, /name="c\.Name"[^>]* value="Theirs"/);
});
