import assert from "node:assert/strict";
import { sharedService, type TestService } from "@/tests/support/service.ts";
import { houseOptions, PEOPLE, type Person, ticketOf } from "./house.ts";

const service = sharedService(houseOptions());

/** Pages of one person; pages of one kind beyond the first few are like these. */
const MOST = 1200;
const MOST_OF_A_KIND = 4;

/** The kind of an address: keys and values are left out. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, "http://x");
  const segments = pathname.split("/").map((segment, index) => index > 3 && index % 2 === 1 ? "*" : segment);
  return `${segments.join("/")}?${[...searchParams.keys()].toSorted().join("&")}`;
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
  const seen = new Set(["/"]);
  const queue = [["/", "start"]];
  const broken: string[] = [];
  for (let next = queue.shift(); next && seen.size < MOST; next = queue.shift()) {
    const [address = "", from = ""] = next;
    const answer = await fetch(address, { headers });
    const text = await answer.text();
    if (answer.status >= 400) broken.push(`${answer.status} ${address} on ${from}`);
    const location = answer.headers.get("location");
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") ?? false;
    const links = location === null ? isPage ? linksIn(text) : [] : [location];
    for (const link of links) {
      const kind = kindOf(link);
      const count = kinds.get(kind) ?? 0;
      if (seen.has(link) || link.startsWith("/logout") || count >= MOST_OF_A_KIND) continue;
      kinds.set(kind, count + 1);
      seen.add(link);
      queue.push([link, address]);
    }
  }
  assert.ok(seen.size > 30, `only ${seen.size} addresses were found`);
  return broken;
}

for (const person of PEOPLE) {
  Deno.test(`no link leads ${person} to an error`, async () => {
    assert.deepEqual(await crawl(person, service()), []);
  });
}
