/**
 * A request means the same on every engine: random requests and scripts are sent to a service on each.
 * `ROWHOUSE_TEST_SEED` chooses other requests.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestDialect } from "@/tests/support/databases/mod.ts";
import fc from "@/tests/support/random.ts";
import { whyNoServer } from "@/tests/support/servers/mod.ts";
import { shared } from "@/tests/support/service.ts";
import { difference, Tags } from "./compare.ts";
import { type Excuse, READING, WRITING } from "./excuses.ts";
import { type MirrorSource, readFacts } from "./facts.ts";
import { type Mirrors, openMirrors } from "./mirrors.ts";
import { play } from "./play.ts";
import { readRequests } from "./read_requests.ts";
import { dump, scripts } from "./scripts.ts";

const REQUESTS = 1000;
const SCRIPTS = 30;

/** The compared databases and requests. */
export interface Compared {
  readonly source: MirrorSource;
  /** Scripts that write are played, too. */
  readonly writes: boolean;
}

/**
 * Registers the tests of these engines beside SQLite. The names of the tests tell which engines are missing.
 */
export function testDifferences(
  dialects: readonly Exclude<TestDialect, "sqlite">[],
  { source, writes }: Compared,
): void {
  const missing = dialects.flatMap((dialect) => whyNoServer(dialect) ?? []);
  const compared = dialects.filter((dialect) => whyNoServer(dialect) === undefined);
  const suffix = missing.length > 0 ? ` (${missing.join("; ")})` : "";
  const open = shared(
    () => openMirrors(["sqlite", ...compared], source),
    compared.length === 0 ? suffix : undefined,
  );
  for (const [name, fn] of [...reading(source), ...(writes ? writing(source) : [])]) {
    Deno.test({
      name: `sqlite, ${dialects.join(", ")}: ${name}${suffix}`,
      ignore: compared.length === 0,
      fn: async () => {
        const mirrors = open();
        await mirrors.reset();
        await fn(mirrors);
      },
    });
  }
}

type Property = readonly [name: string, fn: (mirrors: Mirrors) => Promise<void>];

function reading(source: MirrorSource): readonly Property[] {
  const tables = readFacts(source);
  return [
    ["a request that reads has the same answer", ({ list: mirrors }) => {
      const tags = new Tags();
      const same = fc.asyncProperty(readRequests(tables), async (request) => {
        const found = await difference(request, { mirrors, tags, excuses: READING });
        if (found !== undefined) throw new Error(found);
      });
      return fc.assert(same, { numRuns: REQUESTS });
    }],
    ...READING.map((
      excuse,
    ): Property => [`it is still so: ${excuse.reason}`, (mirrors) => isNeeded(excuse, mirrors)]),
  ];
}

function writing(source: MirrorSource): readonly Property[] {
  const tables = readFacts(source);
  return [
    ["a script that writes has the same answers and leaves the same records", (mirrors) => {
      const same = fc.asyncProperty(scripts(tables), async (script) => {
        await mirrors.reset();
        const found = await play([...script, ...dump(tables)], { mirrors: mirrors.list, excuses: WRITING });
        if (found !== undefined) throw new Error(found);
      });
      return fc.assert(same, { numRuns: SCRIPTS });
    }],
  ];
}

/** The examples of an excuse are the same with it, and are not without it. */
async function isNeeded({ examples, dialects, rare = [] }: Excuse, { list }: Mirrors): Promise<void> {
  const [first, ...others] = list;
  for (const other of others) {
    if (!first || !dialects.includes(other.dialect) || rare.includes(other.dialect)) continue;
    for (const target of examples) {
      const ask = (excuses: readonly Excuse[]): Promise<string | undefined> =>
        difference({ method: "GET", target }, { mirrors: [first, other], tags: new Tags(), excuses });
      assert.equal(await ask(READING), undefined, target);
      assert.notEqual(await ask([]), undefined, `${target} needs no excuse on ${other.dialect}`);
    }
  }
}
