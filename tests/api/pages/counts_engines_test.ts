import assert from "node:assert/strict";
import { TEST_DIALECTS, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { startService, type TestService } from "@/tests/support/service.ts";

const COUNT = /<td class="number many"><a href="([^"]*)\.html">([\d,]+)<\/a>/g;

/** The number of the records of a list. */
async function numberOf(service: TestService, list: string): Promise<string | null> {
  const answer = await service.fetch(`${list}.json?count&limit=0`);
  await answer.body?.cancel();
  return answer.headers.get("Rowhouse-All-Record-Count");
}

/** The texts of the cells of the first related records on the page of a record. */
async function relatedOf(
  service: TestService,
  record: string,
  relation: string,
): Promise<readonly string[][]> {
  const page = await (await service.fetch(`${record}.html`)).text();
  const [, table = ""] = page.split(`${record}/${relation}.html">${relation}</a></h2>`, 2);
  const [, body = ""] = /<tbody>(.*?)<\/tbody>/s.exec(table) ?? [];
  return body.trim().split("\n").map((row) =>
    [...row.matchAll(/<td[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, text = ""]) => text)
  );
}

async function rowsOf(service: TestService, path: string): Promise<readonly Record<string, unknown>[]> {
  return await (await service.fetch(`/db/Rental/${path}`)).json();
}

const GROUP = /<tr><td><a href="([^"?]*)\.html[^"]*">[^<]*<\/a><\/td><td class="number">([\d,]+)</g;

/** Compares the number of each group of a summary with that of the list behind it. */
async function compareGroups(service: TestService, question: string): Promise<void> {
  const answer = await service.fetch(`/db/Rental/${question}`);
  const page = await answer.text();
  assert.equal(answer.status, 200, page);
  const groups = [...page.matchAll(GROUP)].map(([, href = "", count = ""]) => ({
    href: href.replaceAll("&amp;", "&"),
    count: count.replaceAll(",", ""),
  }));
  assert.ok(groups.length > 1, `${question}: ${groups.length} groups`);
  for (const { href, count } of groups) assert.equal(await numberOf(service, href), count, href);
}

for (const dialect of TEST_DIALECTS) {
  testOn(
    dialect,
    "related records and groups are counted as the lists that links lead to, and the first ones have labels",
    async () => {
      await using service = await serveOn(dialect, { id: "Rental", made: "rental" }, startService);
      for (
        const list of [
          "Film.html?limit=3&sort=-Title",
          "Customer.html?limit=3&offset=2",
          "City.html?limit=29",
        ]
      ) {
        const answer = await service.fetch(`/db/Rental/${list}&ui.counts`);
        const page = await answer.text();
        assert.equal(answer.status, 200, page);
        const counts = [...page.matchAll(COUNT)];
        assert.ok(counts.length >= 2, `${list}: ${counts.length} counts`);
        for (const [, href = "", count = ""] of counts) {
          assert.equal(count.replace(",", ""), await numberOf(service, href), href);
        }
      }
      for (
        const question of [
          "Rental.html?ui.chart=line&ui.x=RentedAt&ui.by=day",
          "Payment/~StaffId/1.html?ui.chart=histogram&ui.x=CustomerId",
          "Staff/StaffId/1/Payment.html?ui.chart=bar&ui.x=CustomerId&ui.by=value",
        ]
      ) await compareGroups(service, question);
      const names = new Map(
        (await rowsOf(service, "Staff.json")).map(({ StaffId, Name }) => [StaffId, Name]),
      );
      const payments = await rowsOf(service, "Customer/CustomerId/1/Payment.json?limit=5");
      assert.equal(payments.length, 5);
      assert.deepEqual(
        await relatedOf(service, "/db/Rental/Customer/CustomerId/1", "Payment"),
        payments.map(({ PaymentId, Amount, StaffId, RentalId }) =>
          [PaymentId, Amount, names.get(StaffId), RentalId].map(String)
        ),
      );
    },
  );
}
