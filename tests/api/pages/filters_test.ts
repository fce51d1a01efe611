/**
 * @module Filters that the forms of a list add one after the other find the rows that each of them finds.
 */

import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService();

const PORTS = "/db/Demo/Port.html?limit=29";

/** What is typed into the form of the ports, by the relation that the filter leads over. */
const FILTERS = {
  own: ["ui.column=Name&ui.is=contains&ui.value=o", "ui.column=CountryCode&ui.is=any&ui.value=NO|FI|IS"],
  one: [
    "ui.column=Country/Name&ui.is=not&ui.value=Norway",
    "ui.column=Country/Name&ui.is=contains&ui.value=a",
  ],
  many: ["ui.column=Vessel/Seats&ui.is=least&ui.value=10", "ui.column=Vessel/Name&ui.is=value"],
};

async function add(list: string, filter: string): Promise<string> {
  const answer = await service().fetch(`${list}&${filter}`, { redirect: "manual" });
  const text = await answer.text();
  assert.equal(answer.status, 303, text);
  return answer.headers.get("location") ?? "";
}

async function idsOf(list: string): Promise<readonly number[]> {
  const answer = await service().fetch(list.replace(".html?limit=29", "/PortId.json?limit=1000"));
  assert.equal(answer.status, 200, list);
  return (await answer.json()).toSorted((a: number, b: number) => a - b);
}

Deno.test("a list with filters has the rows that each filter finds, in whatever order they were added", async () => {
  const filters = Object.values(FILTERS).flat();
  const found = new Map<string, ReadonlySet<number>>();
  for (const filter of filters) {
    found.set(filter, new Set(await idsOf(await add(PORTS, filter))));
  }
  const all = await idsOf(PORTS);
  for (const [filter, { size }] of found) assert.ok(size > 0 && size < all.length, `${filter}: ${size}`);
  const chosen = fc.shuffledSubarray(filters, { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(chosen, async (added) => {
      let list = PORTS;
      for (const filter of added) list = await add(list, filter);
      const wanted = all.filter((id) => added.every((filter) => found.get(filter)?.has(id)));
      assert.deepEqual(await idsOf(list), wanted, list);
    }),
    { numRuns: 60 },
  );
});

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

Deno.test("a list offers no filter that would find other rows than it has", async () => {
  const offered = async (path: string) => {
    const answer = await service().fetch(path);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return { country: text.includes('<option value="Country/Name"'), vessel: text.includes('"Vessel/Name"') };
  };
  assert.deepEqual(await offered(PORTS), { country: true, vessel: true });
  const related = await offered("/db/Demo/Country/Name/Norway/Port.html?limit=29");
  assert.deepEqual(related, { country: false, vessel: true }, "its records share a country");
  const refused = await service().fetch(
    "/db/Demo/Country/Name/Norway/Port.html?limit=29&ui.column=Country/Name&ui.is=is&ui.value=x",
  );
  assert.match(await refused.text(), /class="complaint"/);
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
  for (const is of ["least", "most", "range"]) {
    assert.equal(await complaint(`ui.column=Seats&ui.is=${is}&ui.value=`), "Type a value to compare with");
  }
  assert.equal(
    await complaint("ui.column=InService&ui.is=is&ui.value=maybe").then((text) => text?.slice(-18)),
    "expected yes or no",
  );
  const comma = await complaint("ui.column=LengthMetres&ui.is=least&ui.value=12,5");
  assert.match(comma ?? "", /&quot;12,5&quot;: expected a number: write 12\.5$/);
});
