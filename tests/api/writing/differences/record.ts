/**
 * Writes an engine's own answers: `deno run -A tests/api/writing/differences/record.ts DIALECT
 * TOPIC/NAME...`. A person must read a recorded answer before it is committed.
 *
 * @module
 */

import { dirname, join } from "node:path";
import type { ServerDialect } from "@/tests/support/servers/mod.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { formatSequence, parseSequence, playSequence, sequenceFile } from "../sequences.ts";
import { ServerShop } from "../server_shop.ts";
import { FOLDER } from "../shop_files.ts";

const [dialect = "", ...names] = Deno.args;
await using shop = await ServerShop.open(await useServer(dialect as ServerDialect));
for (const name of names) {
  await shop.reset();
  const played = await playSequence(parseSequence(Deno.readTextFileSync(sequenceFile(name))), shop, () => {});
  const path = join(FOLDER, "differences", dialect, `${name}.txt`);
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, formatSequence(played));
}
