/**
 * Every kind of page, with a person who sees all of it.
 *
 * @module
 */

import type { HTTPResponse, Page } from "@/tests/support/browser/chromium.ts";
import type { Person } from "./house.ts";

/** A page by its name, which is also the name of its screenshot. */
export interface KnownPage {
  readonly name: string;
  readonly path: string;
  readonly person: Person;
  /** Default 200. */
  readonly status?: number;
  /** Parts that scripts draw, and that are clicked one after another. */
  readonly opens?: readonly string[];
  /** Values of fields by their names, before {@link presses}. */
  readonly fills?: Readonly<Record<string, string>>;
  /** The button that sends the form: the page is the answer, with {@link status}. */
  readonly presses?: string;
}

/** Goes to a page, opens its parts, or sends its form. */
export async function visit(
  page: Page,
  url: string,
  { opens = [], fills = {}, presses }: KnownPage,
): Promise<HTTPResponse | null> {
  const answer = await page.goto(url, { waitUntil: "load" });
  for (const selector of opens) {
    const part = await page.waitForSelector(selector);
    await part?.click();
  }
  if (presses === undefined) return answer;
  for (const [name, value] of Object.entries(fills)) await page.locator(`[name="${name}"]`).fill(value);
  const sent = page.waitForNavigation({ waitUntil: "load" });
  await page.locator(presses).click();
  return await sent;
}

/** The pages in the order of the menu. */
export const PAGES: readonly KnownPage[] = [
  { name: "home", path: "/", person: "public" },
  { name: "home-admin", path: "/", person: "admin" },
  { name: "find", path: "/?ui.find=port", person: "reader" },
  {
    name: "summary-bar",
    path: "/db/Demo/Vessel.html?limit=9&ui.chart=bar&ui.x=HomePortId",
    person: "public",
  },
  { name: "summary-line", path: "/db/Demo/Booking.html?ui.chart", person: "editor" },
  { name: "summary-histogram", path: "/db/Odd/Many.html?ui.chart=histogram&ui.x=Number", person: "editor" },
  {
    name: "summary-scatter",
    path: "/db/Demo/Ticket/BookingId/..99.html?ui.chart=scatter&ui.x=Price&ui.y=Charged",
    person: "public",
  },
  { name: "summary-odd", path: "/db/Odd/%3Cb%3ETable.html?ui.chart&ui.x=a%26b", person: "editor" },
  { name: "summary-query", path: "/query/bookings-by-year/year/2025.html?ui.chart", person: "public" },
  { name: "login", path: "/login", person: "public" },
  { name: "databases", path: "/db.html", person: "public" },
  { name: "database", path: "/db/Demo.html", person: "public" },
  { name: "list", path: "/db/Demo/Vessel.html?limit=9", person: "editor" },
  {
    name: "list-filtered",
    path: "/db/Demo/Port/CountryCode/NO,DK/Vessel/Seats/100../Port.html?limit=9",
    person: "public",
  },
  {
    name: "list-refused",
    path: "/db/Demo/Vessel.html?limit=5&ui.column=Seats&ui.is=is&ui.value=x",
    person: "public",
  },
  { name: "list-filter-choice", path: "/db/Demo/Vessel.html?limit=9&ui.filter=HomePortId", person: "public" },
  {
    name: "list-filter-boxes",
    path: "/db/Demo/Vessel/HomePortId/1,4.html?limit=9&ui.change=1",
    person: "public",
  },
  { name: "list-columns", path: "/db/Demo/Vessel/Name,Seats.html?limit=5&sort=-Seats", person: "public" },
  { name: "list-pages", path: "/db/Odd/Many.html?limit=9&offset=90", person: "public" },
  { name: "list-counts", path: "/db/Demo/Port.html?limit=9&ui.counts", person: "public" },
  { name: "list-facet", path: "/db/Demo/Port.html?limit=9&ui.facet=CountryCode", person: "public" },
  { name: "list-empty", path: "/db/Demo/Vessel/Name/nothing.html?limit=9", person: "public" },
  { name: "list-nested", path: "/db/Demo/Country.html?limit=2&depth=1", person: "public" },
  { name: "list-transposed", path: "/db/Demo/Vessel.html?limit=3&transpose", person: "public" },
  { name: "odd-list", path: "/db/Odd/Odd.html?limit=9", person: "editor" },
  { name: "odd-table", path: "/db/Odd/%3Cb%3ETable.html?limit=9", person: "editor" },
  { name: "odd-names", path: "/db/Odd/Long.html?limit=9", person: "public" },
  {
    name: "odd-facet",
    path: "/db/Odd/Long.html?limit=9&ui.facet=amount_of_something_or_other_in_the_currency_of_the_country",
    person: "public",
  },
  { name: "odd-summary", path: "/db/Odd/Long.html?ui.chart", person: "public" },
  { name: "odd-wide", path: "/db/Odd/Wide.html?limit=5", person: "public" },
  { name: "list-menu", path: "/db/Odd/Wide.html?limit=5&ui.menu=C7", person: "public" },
  { name: "record", path: "/db/Demo/Port/PortId/1.html", person: "editor" },
  { name: "odd-record", path: "/db/Odd/Odd/Id/rtl.html", person: "editor" },
  { name: "odd-long", path: "/db/Odd/Odd/Id/long/Note.html", person: "public" },
  { name: "value-bytes", path: "/db/Demo/Vessel/VesselId/1/Pennant.html", person: "public" },
  { name: "record-new", path: "/db/Demo/Vessel.html?ui.new", person: "editor" },
  {
    name: "record-new-search",
    path: "/db/Demo/Booking.html?ui.new",
    person: "editor",
    fills: { "c.CustomerId": "an" },
    presses: 'button[value="CustomerId"]',
  },
  { name: "record-edit-key", path: "/db/Odd/Visit/VisitId/1.html?ui.edit", person: "editor" },
  {
    name: "record-new-key-search",
    path: "/db/Odd/Visit.html?ui.new",
    person: "editor",
    fills: { "r.Region": "part 4" },
    presses: 'button[value="Region"]',
  },
  { name: "record-edit", path: "/db/Demo/Port/PortId/1.html?ui.edit", person: "editor" },
  { name: "record-import", path: "/db/Demo/Amenity.html?ui.import", person: "editor" },
  {
    name: "record-import-look",
    path: "/db/Demo/Amenity.html?ui.import",
    person: "editor",
    fills: { "ui.csv": "AmenityId,Name\n901,Pool\nx,Gym\n" },
    presses: "button[name='ui.look']",
  },
  { name: "record-copy", path: "/db/Demo/Port/PortId/1.html?ui.copy", person: "editor" },
  { name: "record-delete", path: "/db/Demo/Port/PortId/1.html?ui.delete", person: "editor" },
  { name: "queries", path: "/query.html", person: "public" },
  { name: "query-form", path: "/query/bookings-by-year.html", person: "public" },
  { name: "query-result", path: "/query/bookings-by-year/year/2025.html?limit=9", person: "public" },
  { name: "query-run", path: "/query/cheap-fares.html", person: "public" },
  {
    name: "query-run-result",
    path: "/query/cheap-fares.html",
    person: "public",
    fills: { "s.most": "10" },
    presses: "main button.main",
  },
  {
    name: "query-run-chart",
    path: "/query/cheap-fares.html",
    person: "public",
    fills: { "s.most": "10", "ui.as": "chart" },
    presses: "main button.main",
  },
  { name: "admin-databases", path: "/dbdef.html", person: "admin" },
  { name: "admin-database", path: "/dbdef/Demo.html", person: "admin" },
  { name: "admin-database-new", path: "/dbdef.html?ui.new", person: "admin" },
  {
    name: "admin-database-test",
    path: "/dbdef.html?ui.new",
    person: "admin",
    fills: { "s.db_id": "Far", "s.db_name": "/nowhere/far.db" },
    presses: 'button[name="ui.check"]',
    status: 400,
  },
  { name: "admin-database-delete", path: "/dbdef/Odd.html?ui.delete", person: "admin" },
  { name: "admin-queries", path: "/querydef.html", person: "admin" },
  { name: "admin-query", path: "/querydef/bookings-by-year.html", person: "admin" },
  { name: "admin-query-edit", path: "/querydef/bookings-by-year.html?ui.edit", person: "admin" },
  { name: "admin-query-new", path: "/querydef.html?ui.new", person: "admin" },
  {
    name: "admin-query-refused",
    path: "/querydef.html?ui.new",
    person: "admin",
    fills: { "s.query_id": "nothing" },
    presses: "main button.main",
    status: 400,
  },
  {
    name: "admin-query-trial",
    path: "/querydef/bookings-by-year.html?ui.edit",
    person: "admin",
    fills: { "ui.arg.year": "2025" },
    presses: 'button[value="run"]',
  },
  { name: "admin-query-delete", path: "/querydef/bookings-by-year.html?ui.delete", person: "admin" },
  { name: "admin-users", path: "/userdef.html", person: "admin" },
  { name: "admin-user", path: "/userdef/reader.html", person: "admin" },
  { name: "admin-user-edit", path: "/userdef/reader.html?ui.edit", person: "admin" },
  { name: "admin-user-new", path: "/userdef.html?ui.new", person: "admin" },
  {
    name: "admin-user-refused",
    path: "/userdef.html?ui.new",
    person: "admin",
    fills: { "s.user_id": "carl", "p.password": "ferry" },
    presses: "main button.main",
    status: 400,
  },
  {
    name: "admin-user-key",
    path: "/userdef/editor.html?ui.newkey",
    person: "admin",
    presses: "main .buttons button",
  },
  { name: "admin-user-key-replace", path: "/userdef/editor.html?ui.newkey", person: "admin" },
  { name: "admin-user-key-remove", path: "/userdef/editor.html?ui.nokey", person: "admin" },
  { name: "admin-user-delete", path: "/userdef/reader.html?ui.delete", person: "admin" },
  { name: "own-account", path: "/userdef/reader.html?ui.edit", person: "reader" },
  { name: "api", path: "/openapi.html", person: "editor" },
  {
    name: "api-database",
    path: "/openapi/Odd.html",
    person: "public",
    opens: [".opblock-tag", ".opblock-summary-control", ".try-out__btn", ".execute", ".live-responses-table"],
  },
  { name: "activity", path: "/reqstatus.html", person: "admin" },
  { name: "activity-asked", path: "/reqstatus.html?ui.status=refused&ui.user=editor", person: "admin" },
  { name: "licence", path: "/license.html", person: "admin" },
  {
    name: "licence-refused",
    path: "/license.html",
    person: "admin",
    fills: { "s.license": "none" },
    presses: 'button[name="ui.check"]',
    status: 400,
  },
  { name: "settings", path: "/settings.html", person: "admin" },
  { name: "problem-missing", path: "/db/Demo/Vesel.html", person: "public", status: 404 },
  { name: "problem-forbidden", path: "/db/Demo/Employee.html?limit=1", person: "reader", status: 403 },
];
