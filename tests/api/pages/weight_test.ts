import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { houseOptions, ticketOf } from "@/tests/browser/house.ts";
import { PAGES } from "@/tests/browser/pages.ts";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService(houseOptions());

async function load(path: string, ticket: string | undefined): Promise<Uint8Array> {
  const headers = { Accept: "text/html", ...(ticket === undefined ? {} : { Cookie: `auth_tkt=${ticket}` }) };
  const answer = await service().fetch(path, { headers });
  return await answer.bytes();
}

const compressed = (bytes: Uint8Array) => brotliCompressSync(bytes).length;

/** As many points as a chart has. */
const POINTS = {
  name: "points",
  path: "/db/Odd/Points.html?ui.chart=scatter&ui.x=X&ui.y=Y",
  person: "public",
} as const;

/** A text of a megabyte is shown whole; the editor of SQL and the explorer have files of their own. */
const HEAVY = new Set([
  "odd-long",
  "admin-query-edit",
  "admin-query-new",
  "admin-query-refused",
  "admin-query-trial",
  "api-database",
]);

Deno.test("any page has at most 40 KB with its files, compressed, in at most four requests", async () => {
  const sizes = new Map<string, number>();
  for (const { name, path, person } of [...PAGES, POINTS].filter(({ name }) => !HEAVY.has(name))) {
    const ticket = await ticketOf(person, service());
    const page = await load(path, ticket);
    const files = [...new TextDecoder().decode(page).matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)];
    let total = compressed(page);
    for (const [, file = ""] of files) {
      const size = sizes.get(file) ?? compressed(await load(file, undefined));
      sizes.set(file, size);
      total += size;
    }
    assert.ok(
      files.length <= 3 && total <= 40_960,
      `${name}: ${total} bytes in ${files.length + 1} requests`,
    );
  }
});

Deno.test("a list of 29 rows has at most 12 KB, compressed", async () => {
  for (const table of ["Customer", "Booking", "Port"]) {
    const page = await load(`/db/Demo/${table}.html?limit=29`, await ticketOf("editor", service()));
    assert.ok(compressed(page) <= 12_288, `${table}: ${compressed(page)}`);
  }
});

Deno.test("lists of odd data have at most 300 KB", async () => {
  for (const table of ["Odd", "Wide", "Many", "%3Cb%3ETable"]) {
    const page = await load(`/db/Odd/${table}.html?limit=29`, undefined);
    assert.ok(page.length <= 307_200, `${table}: ${page.length}`);
  }
});
