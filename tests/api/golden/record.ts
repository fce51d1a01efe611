/**
 * Writes the service's answer into golden files: `deno run -A tests/api/golden/record.ts TOPIC/NAME...`. A
 * new file needs only its comment and request; headers that its answer already names are kept. A person must
 * compare a recorded answer with the specification before it is committed.
 *
 * @module
 */

import { join } from "node:path";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { describeAnswer, formatGolden, parseGolden } from "./golden.ts";
import { FOLDER, readGolden, startGoldenService } from "./service.ts";

await using service = await startGoldenService();
for (const name of Deno.args) {
  const golden = parseGolden(readGolden(name));
  const asked = golden.answer?.headers.map(([header]) => header) ?? [];
  const answer = describeAnswer(await sendRaw(service.port, golden.request), asked);
  Deno.writeTextFileSync(join(FOLDER, `${name}.txt`), formatGolden({ ...golden, answer }));
}
