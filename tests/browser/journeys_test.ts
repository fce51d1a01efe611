import assert from "node:assert/strict";
import { browserTest, sharedBrowser, type Sight } from "@/tests/support/browser/chromium.ts";
import { Watch } from "@/tests/support/browser/judge.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions, type Person, signIn } from "./house.ts";
import { logIn, Traveller, type Way, WAYS } from "./traveller.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

/** Brings another person to the page of a colleague, in the same way. */
type Meet = (person: Person) => Promise<Traveller>;

/** Of ports in Norway or Finland those with a large vessel, sorted, without typing an address. */
async function filtering(traveller: Traveller, way: string): Promise<void> {
  await traveller.go("/");
  await traveller.follow("Demo");
  await traveller.follow("Port");
  await traveller.unfold("Filter");
  await traveller.choose("ui.column", "CountryCode");
  await traveller.choose("ui.is", "any");
  if (way === "no script") await traveller.fill("ui.value", "FI|NO");
  else for (const code of ["NO", "FI"]) await traveller.tick(`#filter-choice [value="${code}"]`);
  await traveller.follow("Apply", "button");
  await traveller.unfold("Filter");
  await traveller.choose("ui.column", "Vessel/Seats");
  await traveller.choose("ui.is", "least");
  await traveller.fill("ui.value", "100");
  await traveller.follow("Apply", "button");
  await traveller.press("th a.sort ::-p-text(LocalName)");
  assert.equal(
    traveller.path,
    "/db/Demo/Port/CountryCode/FI,NO/Vessel/Seats/100../Port.html?limit=29&sort=LocalName",
  );
  assert.match(await traveller.text(), /CountryCode is FI or NO.*Seats is at least 100/s);
}

/**
 * A record is created with NULL and a foreign key, changed although somebody else was faster, and deleted.
 * Another one stays, because others refer to it.
 */
async function editing(traveller: Traveller, way: string, meet: Meet): Promise<void> {
  await logIn(traveller, "editor");
  await traveller.go("/db/Demo/Port.html");
  await traveller.follow("Add");
  const locode = `NO ${way.slice(0, 3).toUpperCase()}`;
  await traveller.fill("c.Locode", locode);
  await traveller.fill("c.Name", `Port of ${way}`);
  await traveller.fill("c.LocalName", "Havn");
  await traveller.choose("c.CountryCode", "NO");
  await traveller.fill("c.Latitude", "60.5");
  await traveller.fill("c.Longitude", "north");
  await traveller.follow("Create", "button");
  assert.match(await traveller.text(), /'north' is not/);
  await traveller.fill("c.Longitude", "5.25");
  await traveller.follow("Create", "button");
  assert.match(await traveller.text(), new RegExp(`It has been created.*Port of ${way}.*NULL`, "s"));
  if (way !== "no script") assert.doesNotMatch(traveller.path, /ui\.done/, "a reload claims nothing");
  await traveller.follow("Edit");
  const colleague = await meet("admin");
  await colleague.go(traveller.path);
  await colleague.fill("c.LocalName", `Hamn of ${way}`);
  await colleague.follow("Save", "button");
  assert.match(await colleague.text(), /The changes are saved/);
  await traveller.fill("c.Name", `Harbour of ${way}`);
  await traveller.follow("Save", "button");
  assert.match(await traveller.text(), /Somebody else has changed this record/);
  assert.equal(await traveller.valueOf("c.LocalName"), `Hamn of ${way}`);
  assert.equal(await traveller.valueOf("c.Name"), `Harbour of ${way}`);
  await traveller.choose("c.CountryCode", "FI");
  await traveller.fill("c.Notes", "Third quay");
  await traveller.follow("Save", "button");
  assert.match(
    await traveller.text(),
    new RegExp(`The changes are saved.*Harbour of ${way}.*Hamn of ${way}.*Finland.*Third quay`, "s"),
  );
  await traveller.follow("Edit");
  await traveller.turn("n.Notes", "true");
  await traveller.follow("Save", "button");
  assert.match(await traveller.text(), /The changes are saved.*NotesNULL/s);
  await traveller.follow("Delete");
  await traveller.follow("Delete", "button");
  assert.match(await traveller.text(), /It has been deleted/);
  await traveller.go("/db/Demo/Port/PortId/1.html");
  await traveller.follow("Delete");
  assert.match(await traveller.text(), /Other records refer to it.*Employee8 records.*Vessel2 records/s);
  await traveller.follow("Delete", "button");
  assert.match(await traveller.text(), /Delete Bergen\?.*The database refuses this/s);
  await traveller.follow("Cancel");
  assert.equal(traveller.path, "/db/Demo/Port/PortId/1.html");
}

/** A query with a mistake is mended and saved; a colleague runs it and draws a chart. */
async function querying(_: Traveller, way: string, meet: Meet): Promise<void> {
  const id = `seats-${way.replace(" ", "-")}`;
  const traveller = await meet("admin");
  await traveller.go("/querydef.html");
  await traveller.follow("Add a query");
  await traveller.fill("s.query_id", id);
  await traveller.choose("s.database", "Demo");
  await traveller.fill("s.sqlstr", "SELECT Nmae, Seats FROM Vessel WHERE Seats >= :least");
  await traveller.follow("Check the SQL", "button");
  assert.match(await traveller.text(), /The database refuses it at line 1, character 8: .*Nmae/);
  await traveller.fill("s.sqlstr", "SELECT Name, Seats FROM Vessel WHERE Seats >= :least");
  await traveller.follow("Check the SQL", "button");
  assert.match(await traveller.text(), /The database accepts it/);
  await traveller.choose("s.parameters.least", "integer");
  await traveller.fill("ui.arg.least", "500");
  await traveller.follow("Run a trial", "button");
  assert.match(await traveller.text(), /\n\d+ rows?\n.*Plan of the database.*SCAN Vessel/s);
  await traveller.fill("l.execute", "editor");
  await traveller.follow("Create", "button");
  const colleague = await meet("editor");
  await colleague.go("/query.html");
  await colleague.follow(id);
  await colleague.fill("ui.arg.least", "500");
  await colleague.follow("Run", "button");
  assert.match(colleague.path, new RegExp(`^/query/${id}/least/500.html`));
  await colleague.follow("Summary and chart");
  assert.match(await colleague.text(), /in numbers/);
  assert.match(await colleague.textOf("main figure"), /SVG/);
}

const JOURNEYS = { filtering, editing, querying } as const;

for (const [way, sight] of Object.entries(WAYS) as [Way, Sight][]) {
  browserTest(`journeys: ${way}`, async (test) => {
    const { url } = service();
    const watches: Watch[] = [];
    await using closing = new AsyncDisposableStack();
    const begin = async () => {
      const page = await browser().open(sight);
      closing.defer(() => page.browserContext().close());
      watches.push(new Watch(page, url));
      return { page, traveller: new Traveller(page, url, way) };
    };
    const { traveller } = await begin();
    const colleague = await begin();
    const meet = async (person: Person) => {
      await signIn(colleague.page, person, service());
      return colleague.traveller;
    };
    for (const [name, journey] of Object.entries(JOURNEYS)) {
      await test.step(name, async () => {
        await journey(traveller, way, meet);
        assert.deepEqual(watches.flatMap(({ complaints }) => complaints.splice(0)), []);
      });
    }
  });
}
