import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { readDemo } from "@/config/sample.ts";

type Row = Record<string, unknown>;

/** The demo database in a temporary file, that is gone when the scope ends. */
class DemoDatabase implements Disposable {
  readonly #directory = Deno.makeTempDirSync();
  readonly #sqlite = new Sqlite(`${this.#directory}/demo.db`);

  constructor() {
    this.#sqlite.pragma("foreign_keys = ON");
    this.#sqlite.exec("BEGIN");
    this.#sqlite.exec(readDemo());
    this.#sqlite.exec("COMMIT");
  }

  rows(sql: string): Row[] {
    return this.#sqlite.prepare(sql).all() as Row[];
  }

  /** The single cell of a result. */
  value(sql: string): unknown {
    return this.#sqlite.prepare(sql).pluck().get();
  }

  values(sql: string): unknown[] {
    return this.#sqlite.prepare(sql).pluck().all();
  }

  [Symbol.dispose](): void {
    this.#sqlite.close();
    Deno.removeSync(this.#directory, { recursive: true });
  }
}

const COUNTS: readonly (readonly [table: string, rows: number])[] = [
  ["Country", 15],
  ["Port", 26],
  ["Route", 38],
  ["Vessel", 13],
  ["Amenity", 8],
  ["VesselAmenity", 49],
  ["Employee", 93],
  ["Sailing", 912],
  ["Crew", 3276],
  ["Customer", 340],
  ["Fare", 13],
  ["Booking", 1500],
  ["Ticket", 3663],
  ["Timetable", 912],
  ["RevenueByMonth", 62],
];

Deno.test("the demo database has the expected number of rows in each table", () => {
  using demo = new DemoDatabase();
  for (const [table, rows] of COUNTS) {
    assert.equal(demo.value(`SELECT count(*) FROM "${table}"`), rows, table);
  }
});

Deno.test("the demo database has exactly the known tables and views", () => {
  using demo = new DemoDatabase();
  const found = demo.values("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name");
  assert.deepEqual(found, COUNTS.map(([table]) => table).toSorted());
});

Deno.test("the demo database is sound", () => {
  using demo = new DemoDatabase();
  assert.deepEqual(demo.rows("PRAGMA foreign_key_check"), []);
  assert.equal(demo.value("PRAGMA integrity_check"), "ok");
});

Deno.test("every foreign key of the demo database has an index", () => {
  using demo = new DemoDatabase();
  const missing = demo.rows(`
    SELECT tables.name AS "table", keys."from" AS "column"
    FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys
    WHERE tables.type = 'table' AND NOT EXISTS (
      SELECT 1 FROM pragma_index_list(tables.name) AS indexes, pragma_index_info(indexes.name) AS parts
      WHERE parts.seqno = 0 AND parts.name = keys."from")`);
  assert.deepEqual(missing, []);
});

const RELATIONS = `
  SELECT tables.name || '.' || keys."from" || ' -> ' || keys."table"
  FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys
  WHERE tables.type = 'table' ORDER BY 1`;

Deno.test("the demo database has relations of every kind", () => {
  using demo = new DemoDatabase();
  assert.deepEqual(demo.values(RELATIONS), [
    "Booking.CustomerId -> Customer",
    "Booking.SailingId -> Sailing",
    "Booking.SoldBy -> Employee",
    "Crew.EmployeeId -> Employee",
    "Crew.SailingId -> Sailing",
    "Customer.CountryCode -> Country",
    "Employee.PortId -> Port",
    "Employee.ReportsTo -> Employee",
    "Port.CountryCode -> Country",
    "Route.DestinationPortId -> Port",
    "Route.OriginPortId -> Port",
    "Sailing.RouteId -> Route",
    "Sailing.VesselId -> Vessel",
    "Ticket.BookingId -> Booking",
    "Ticket.FareCode -> Fare",
    "Vessel.HomePortId -> Port",
    "VesselAmenity.AmenityId -> Amenity",
    "VesselAmenity.VesselId -> Vessel",
  ]);
});

Deno.test("the demo database has composite primary keys", () => {
  using demo = new DemoDatabase();
  const keys = demo.values(`
    SELECT tables.name || ': ' || group_concat(columns.name, ', ')
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND columns.pk > 0 GROUP BY tables.name HAVING count(*) > 1 ORDER BY 1`);
  assert.deepEqual(keys, ["Crew: SailingId, EmployeeId", "VesselAmenity: VesselId, AmenityId"]);
});

Deno.test("the demo database has columns of many types", () => {
  using demo = new DemoDatabase();
  const types = demo.values(`
    SELECT DISTINCT columns.type FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND columns.type NOT LIKE '%CHAR%' ORDER BY 1`);
  assert.deepEqual(types, [
    "BLOB",
    "BOOLEAN",
    "DATE",
    "DATETIME",
    "DECIMAL(10,2)",
    "INTEGER",
    "REAL",
    "TEXT",
  ]);
});

Deno.test("the demo database has a generated column", () => {
  using demo = new DemoDatabase();
  assert.deepEqual(demo.values("SELECT name FROM pragma_table_xinfo('Ticket') WHERE hidden > 1"), [
    "Charged",
  ]);
  assert.equal(
    demo.value("SELECT count(*) FROM Ticket WHERE abs(Charged - Price * (1 - Discount)) > 0.006"),
    0,
  );
});

Deno.test("the demo database refuses what its constraints forbid", () => {
  using demo = new DemoDatabase();
  assert.throws(() => demo.rows("UPDATE Sailing SET Status = 'lost' RETURNING *"), /CHECK constraint failed/);
  assert.throws(() => demo.rows("UPDATE Vessel SET Name = 'Skarv' RETURNING *"), /UNIQUE constraint failed/);
  assert.throws(() => demo.rows("DELETE FROM Fare RETURNING *"), /FOREIGN KEY constraint failed/);
});

const FEATURES: readonly (readonly [what: string, sql: string])[] = [
  ["a key with a slash", "SELECT 1 FROM Fare WHERE FareCode = 'M/C'"],
  ["a key with a dot at its end", "SELECT 1 FROM Fare WHERE FareCode = 'PET.'"],
  ["a key with slash, dots and spaces", "SELECT 1 FROM Fare WHERE FareCode = 'CABIN 1/2 A.C.'"],
  ["a key with a comma", "SELECT 1 FROM Fare WHERE FareCode = 'DECK, OPEN'"],
  ["a key with a substituted sequence", "SELECT 1 FROM Fare WHERE FareCode = 'CAR__TRAILER'"],
  ["a key beyond ASCII", "SELECT 1 FROM Fare WHERE FareCode = 'ÅRSKORT'"],
  ["every fare on a ticket", "SELECT count(DISTINCT FareCode) = 13 FROM Ticket"],
  [
    "Greek, Cyrillic, Georgian, Japanese, Korean and Arabic",
    `
    SELECT count(*) = 6 FROM Port WHERE LocalName IN ('Ρόδος', 'Бургас', 'ბათუმი', '博多', '부산', 'طنجة')`,
  ],
  ["an empty string where NULL is possible", "SELECT 1 FROM Port WHERE Notes = ''"],
  ["an empty string where NULL is not", "SELECT 1 FROM Customer WHERE Company = ''"],
  ["nobody above the director", "SELECT count(*) = 1 FROM Employee WHERE ReportsTo IS NULL"],
  ["NULL dates", "SELECT 1 FROM Customer WHERE BirthDate IS NULL"],
  ["NULL BLOBs", "SELECT 1 FROM Vessel WHERE Pennant IS NULL"],
  ["online bookings without a seller", "SELECT 1 FROM Booking WHERE SoldBy IS NULL"],
  ["dates as text", "SELECT min(BirthDate GLOB '[12][09][0-9][0-9]-[01][0-9]-[0-3][0-9]') FROM Customer"],
  ["times as text", "SELECT min(length(BookedAt) = 19 AND BookedAt = datetime(BookedAt)) FROM Booking"],
  ["both booleans", "SELECT min(Paid) = 0 AND max(Paid) = 1 FROM Booking"],
  ["amounts with cents", "SELECT max(Price <> round(Price)) FROM Ticket"],
  ["amounts below zero", "SELECT min(Balance) < 0 FROM Customer"],
  ["quotes and ampersands", "SELECT 1 FROM Customer WHERE Company = 'O''Leary, Pérez & Cía.'"],
  ["a line break", "SELECT 1 FROM Booking WHERE Remarks LIKE '%' || char(10) || '%'"],
  [
    "bookings in order of time",
    "SELECT min(ordered) FROM (SELECT BookedAt >= lag(BookedAt, 1, '') OVER (ORDER BY BookingId) AS ordered FROM Booking)",
  ],
];

for (const [what, sql] of FEATURES) {
  Deno.test(`the demo database has ${what}`, () => {
    using demo = new DemoDatabase();
    assert.equal(demo.value(sql), 1);
  });
}

Deno.test("the demo database holds images that a decoder reads", () => {
  using demo = new DemoDatabase();
  const image = demo.value("SELECT Pennant FROM Vessel WHERE Name = 'Skarv'");
  assert.ok(image instanceof Uint8Array);
  const bytes = new Uint8Array(image);
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  // 33 bytes of signature and IHDR, 8 of the IDAT's length and type; 4 of its
  // checksum and 12 of IEND at the end
  const pixels = inflateSync(bytes.subarray(41, -16));
  assert.equal(pixels.length, 9 * (1 + 12 * 3));
  assert.deepEqual([...pixels.subarray(0, 4)], [0, 200, 30, 45]);
});

Deno.test("the demo database begins with the same booking everywhere", () => {
  using demo = new DemoDatabase();
  assert.deepEqual(demo.rows("SELECT * FROM Ticket WHERE TicketId = 2"), [{
    TicketId: 2,
    BookingId: 2,
    FareCode: "CABIN 1/2 A.C.",
    Passenger: "Maarja Õunapuu",
    Seat: "18A",
    Price: 233.8,
    Discount: 0,
    Charged: 233.8,
    CheckedInAt: "2025-04-03 15:22:00",
  }]);
});
