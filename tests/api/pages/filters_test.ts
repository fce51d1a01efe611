/**
 * @module Filters that the forms of a list add one after the other find the rows that each of them finds.
 */

import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService();

/** Tables, and what is typed into the form of their list. */
const TABLES = {
  Port: [
    "ui.column=Name&ui.is=contains&ui.value=o",
    "ui.column=CountryCode&ui.is=any&ui.value=NO|FI|IS",
    "ui.column=Country/Name&ui.is=not&ui.value=Norway",
    "ui.column=Country/Name&ui.is=contains&ui.value=a",
    "ui.column=Vessel/Seats&ui.is=least&ui.value=10",
    "ui.column=Vessel/Name&ui.is=value",
  ],
  // Three relations to one record each, only one of which may be in the path.
  Booking: [
    "ui.column=Paid&ui.is=is&ui.value=yes",
    "ui.column=Employee/FirstName&ui.is=without&ui.value=x",
    "ui.column=Employee/Active&ui.is=is&ui.value=yes",
    "ui.column=Sailing/SailingId&ui.is=most&ui.value=95",
    "ui.column=Sailing/SailingId&ui.is=any&ui.value=70|75|80|85|90|95|100",
    "ui.column=Ticket/Price&ui.is=least&ui.value=20",
  ],
};

async function add(list: string, filter: string): Promise<string> {
  const answer = await service().fetch(`${list}&${filter}`, { redirect: "manual" });
  const text = await answer.text();
  assert.equal(answer.status, 303, text);
  return answer.headers.get("location") ?? "";
}

async function idsOf(table: string, list: string): Promise<readonly number[]> {
  const answer = await service().fetch(list.replace(".html?limit=29", `/${table}Id.json?limit=100000`));
  assert.equal(answer.status, 200, list);
  return (await answer.json()).toSorted((a: number, b: number) => a - b);
}

for (const [table, filters] of Object.entries(TABLES)) {
  Deno.test(`a list of ${table} has the rows that each filter finds, in whatever order they were added`, async () => {
    const start = `/db/Demo/${table}.html?limit=29`;
    const found = new Map<string, ReadonlySet<number>>();
    for (const filter of filters) {
      found.set(filter, new Set(await idsOf(table, await add(start, filter))));
    }
    const all = await idsOf(table, start);
    for (const [filter, { size }] of found) {
      assert.ok(size > 0 && size < all.length, `${filter}: ${size} of ${all.length}`);
    }
    const chosen = fc.shuffledSubarray(filters, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(chosen, async (added) => {
        let list = start;
        for (const filter of added) list = await add(list, filter);
        const wanted = all.filter((id) => added.every((filter) => found.get(filter)?.has(id)));
        assert.deepEqual(await idsOf(table, list), wanted, list);
      }),
      { numRuns: 40 },
    );
  });
}

Deno.test("the related records of one record are filtered by their other relations, too", async () => {
  const list = "/db/Demo/Port/PortId/1/Route_DestinationPortId.html?limit=29";
  const filtered = await add(list, "ui.column=Port/CountryCode&ui.is=is&ui.value=NO");
  assert.equal(
    filtered,
    "/db/Demo/Route/Port/CountryCode/NO/Route/DestinationPortId/1.html?limit=29",
  );
  const rows = async (path: string) => await (await service().fetch(path)).json();
  const norwegian = await rows("/db/Demo/Port/CountryCode/NO/PortId.json");
  const routes: { RouteId: number; OriginPortId: number }[] = await rows(
    "/db/Demo/Port/PortId/1/Route_DestinationPortId.json?limit=1000",
  );
  const wanted = routes.filter(({ OriginPortId }) => norwegian.includes(OriginPortId));
  assert.ok(wanted.length > 0 && wanted.length < routes.length, `${wanted.length} of ${routes.length}`);
  const found = await rows(filtered.replace(".html?limit=29", ".json?limit=1000"));
  assert.deepEqual(found, wanted);
});

Deno.test("a filter over a second relation to one record becomes the keys that it finds", async () => {
  const first = await add("/db/Demo/Sailing.html?limit=29", "ui.column=Vessel/Name&ui.is=is&ui.value=Bura");
  assert.equal(first, "/db/Demo/Sailing/Vessel/Name/Bura/Sailing.html?limit=29");
  const routes = await (await service().fetch("/db/Demo/Route/Miles/..30/RouteId.json")).json();
  assert.ok(routes.length > 1);
  const second = await add(first, "ui.column=Route/Miles&ui.is=most&ui.value=30");
  assert.equal(second, `/db/Demo/Sailing/Vessel/Name/Bura/Sailing/RouteId/${routes.join()}.html?limit=29`);
  const complaint = async (filter: string) => {
    const answer = await service().fetch(`${first}&${filter}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    // The form has what was typed, and the list the filter before.
    assert.match(text, /Vessel: Name is Bura.*<option value="Route\/Miles"[^>]* selected/s);
    return /class="complaint"[^>]*>([^<]*)/.exec(text)?.[1];
  };
  assert.equal(await complaint("ui.column=Route/Miles&ui.is=most&ui.value=1"), "No Route fits this filter");
  assert.match(await complaint("ui.column=Route/Miles&ui.is=most&ui.value=x") ?? "", /expected a number$/);
  assert.equal(
    await complaint("ui.column=Route/Miles&ui.is=least&ui.value="),
    "Choose or type a value to compare with",
  );
  const booking = "/db/Demo/Booking/Employee/Active/true/Booking.html?limit=29";
  const many = await (await service().fetch(`${booking}&ui.column=Sailing/SailingId&ui.is=value`)).text();
  assert.match(many, /class="complaint"[^>]*>More than 100 records of Sailing fit this filter/);
});

Deno.test("a filter over a relation keeps the marks of its list, and a key with commas is one", async () => {
  const list = "/db/Demo/Ticket/Booking/Paid/true/Ticket.html?limit=29&separator=;";
  const filtered = await add(list, "ui.column=Fare/Name&ui.is=value");
  assert.match(filtered, /\/FareCode\/[^/]*;[^/]*\.html\?limit=29&separator=;$/);
  const count = async (path: string) => {
    const answer = await service().fetch(path.replace(".html?limit=29", ".json?count&limit=0"));
    await answer.body?.cancel();
    return answer.headers.get("Rowhouse-All-Record-Count");
  };
  assert.equal(await count(filtered), await count(list), "every ticket has a fare");
});

Deno.test("the form offers the values of a column if they are few, also those that a link opens", async () => {
  const offered = async (query: string, table = "Vessel") => {
    const answer = await service().fetch(`/db/Demo/${table}.html?limit=5&${query}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const [, options] = /<datalist id="filter-offered">(.*?)<\/datalist>/s.exec(text) ?? [];
    return options?.split("</option>").slice(0, -1).map((each) => each.replace("<option value=", ""));
  };
  const ports = await offered("ui.offer=HomePortId");
  assert.ok(ports?.includes('"1">Bergen (1)'), `${ports}`);
  const labels = await offered("ui.filter=HomePortId");
  assert.deepEqual(labels?.slice(0, 2), ['"Algeciras">Algeciras', '"Ancona">Ancona']);
  assert.deepEqual(await offered("ui.offer=InService"), ['"yes">yes', '"no">no']);
  assert.deepEqual(await offered("ui.column=InService&ui.is=is&ui.value=x"), ['"yes">yes', '"no">no']);
  for (
    const none of ["ui.offer=Seats", "ui.offer=Nothing", "ui.offer=Port/Notes", "ui.offer", "ui.filter=x", ""]
  ) {
    assert.equal(await offered(none), undefined, none);
  }
  // More than 50 are not offered.
  assert.equal(await offered("ui.offer=CustomerId", "Booking"), undefined);
  assert.equal(
    await offered("ui.facet=HomePortId&ui.offer=HomePortId").then((each) => each?.length),
    ports?.length,
  );
});

Deno.test("a filter that cannot be used says why in the words of the form", async () => {
  const complaint = async (filter: string) => {
    const text = await (await service().fetch(`/db/Demo/Vessel.html?limit=29&${filter}`)).text();
    return /class="complaint"[^>]*>([^<]*)/.exec(text)?.[1];
  };
  const noText =
    "Only text contains, begins or ends with something, and column &quot;Seats&quot; is of type integer";
  for (const is of ["contains", "without", "begins", "ends"]) {
    assert.equal(await complaint(`ui.column=Seats&ui.is=${is}&ui.value=4`), noText);
  }
  for (
    const filter of [
      "Seats&ui.is=least",
      "Seats&ui.is=range",
      "Seats&ui.is=is",
      "LaunchedOn&ui.is=not",
      "Name&ui.is=contains",
      "Port/Name&ui.is=any",
    ]
  ) {
    assert.equal(
      await complaint(`ui.column=${filter}&ui.value=`),
      "Choose or type a value to compare with",
      filter,
    );
  }
  assert.equal(
    await complaint("ui.column=InService&ui.is=is&ui.value=maybe").then((text) => text?.slice(-18)),
    "expected yes or no",
  );
  assert.match(await complaint("ui.column=Seats&ui.is=is&ui.value=x") ?? "", /expected a whole number$/);
  const comma = await complaint("ui.column=LengthMetres&ui.is=least&ui.value=12,5");
  assert.match(comma ?? "", /&quot;12,5&quot;: expected a number: write 12\.5$/);
});
