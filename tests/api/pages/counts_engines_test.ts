import assert from "node:assert/strict";
import { loadDatabase, SOURCES, TEST_DIALECTS } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { whyNoServer } from "@/tests/support/servers/mod.ts";

const COUNT = /<td class="number many"><a href="([^"]*)\.html">([\d,]+)<\/a>/g;

/** The number of the records of a list. */
async function numberOf(service: TestService, list: string): Promise<string | null> {
  const answer = await service.fetch(`${list}.json?count&limit=0`);
  await answer.body?.cancel();
  return answer.headers.get("Rowhouse-All-Record-Count");
}

for (const dialect of TEST_DIALECTS) {
  const reason = dialect === "sqlite" ? undefined : whyNoServer(dialect);

  Deno.test({
    name: `${dialect}: related records are counted as the lists that links lead to${
      reason === undefined ? "" : ` (${reason})`
    }`,
    ignore: reason !== undefined,
    async fn() {
      await using service = await serveOn(dialect, {
        id: "Rental",
        script: SOURCES.rental.script,
        load: (server) => loadDatabase(server, "rental", `counts_${crypto.randomUUID().slice(0, 8)}`),
      }, startService);
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
    },
  });
}
