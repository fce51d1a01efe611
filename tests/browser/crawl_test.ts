import assert from "node:assert/strict";
import { sharedService, type TestService } from "@/tests/support/service.ts";
import { PAGES } from "./pages.ts";
import { houseOptions, PEOPLE, type Person, ticketOf } from "./house.ts";

const service = sharedService(houseOptions());

/** Addresses of one kind beyond the first few are like these. */
const MOST_OF_A_KIND = 2;

/**
 * The kind of an address. Each table has a list of its own; its other pages are like those of another table.
 */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, "http://x");
  const [, part = "", name = "", ...rest] = pathname.split("/");
  const [, format = ""] = /\.(\w+)$/.exec(pathname) ?? [];
  const subject = part === "db" ? name : part;
  const table = rest.length === 1 && format === "html" && searchParams.size < 2 ? rest[0] : "";
  return [subject, table, Math.min(rest.length, 3), format, ...[...searchParams.keys()].toSorted()].join(" ");
}

function linksIn(html: string): readonly string[] {
  const found = [...html.matchAll(/\shref="([^"]+)"/g)].map(([, href = ""]) =>
    href.replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
  );
  return found.filter((href) => href.startsWith("/") && !href.startsWith("//")).map((href) =>
    href.split("#")[0] ?? ""
  );
}

/** Follows every link as a person, and returns the addresses that cannot be opened. */
async function crawl(person: Person, { fetch }: TestService): Promise<readonly string[]> {
  const ticket = await ticketOf(person, service());
  const headers = { Accept: "text/html", ...(ticket === undefined ? {} : { Cookie: `auth_tkt=${ticket}` }) };
  const kinds = new Map<string, number>();
  // Some pages have parameters that no link has.
  const known = PAGES.filter((each) => each.person === person && each.status === undefined);
  const seen = new Set(["/", ...known.map(({ path }) => path)]);
  const queue = [...seen].map((path) => [path, "start"]);
  const broken: string[] = [];
  // The loop goes on with the addresses that it adds.
  for (const [address = "", from = ""] of queue) {
    const answer = await fetch(address, { headers });
    if (answer.status >= 400) broken.push(`${answer.status} ${address} on ${from}`);
    const location = answer.headers.get("location");
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") ?? false;
    const links = isPage ? linksIn(await answer.text()) : location === null ? [] : [location];
    if (!isPage) await answer.body?.cancel();
    for (const link of links) {
      const kind = kindOf(link);
      const count = kinds.get(kind) ?? 0;
      if (seen.has(link) || link.startsWith("/logout") || count >= MOST_OF_A_KIND) continue;
      kinds.set(kind, count + 1);
      seen.add(link);
      queue.push([link, address]);
    }
  }
  assert.ok(seen.size > 100, `only ${seen.size} addresses were found`);
  return broken;
}

for (const person of PEOPLE) {
  Deno.test(`no link leads ${person} to an error`, async () => {
    assert.deepEqual(await crawl(person, service()), []);
  });
}
