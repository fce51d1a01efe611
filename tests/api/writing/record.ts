/**
 * Writes the service's answers into sequences: `deno run -A tests/api/writing/record.ts TOPIC/NAME...`.
 * Status lines and rows of the file are kept, because they were written from the specification, and
 * differences are printed. A person must read a recorded answer before it is committed.
 *
 * @module
 */

import { formatSequence, parseSequence, playSequence, sequenceFile, type Step } from "./sequences.ts";
import { Shop } from "./shop.ts";

await using shop = await Shop.open();
for (const name of Deno.args) {
  shop.reset();
  const written = parseSequence(Deno.readTextFileSync(sequenceFile(name)));
  const played = await playSequence(written, shop, () => {});
  const complaints = played.flatMap((step, index) => compare(step, written[index]));
  if (complaints.length > 0) print(`${name}\n${complaints.join("\n")}\n`);
  else Deno.writeTextFileSync(sequenceFile(name), formatSequence(played));
}

function compare(played: Step, written: Step | undefined): readonly string[] {
  if (played.kind === "look" && written?.kind === "look") {
    if (written.rows.length === 0 || played.rows.join("\n") === written.rows.join("\n")) return [];
    return [
      played.sql,
      ...written.rows.map((row) => `  - ${row}`),
      ...played.rows.map((row) => `  + ${row}`),
    ];
  }
  if (played.kind !== "request" || written?.kind !== "request") return [];
  const expected = written.golden.answer?.statusLine ?? "";
  const { statusLine = "", body = "" } = played.golden.answer ?? {};
  if (expected === "" || expected === statusLine) return [];
  return [
    `${played.golden.request.method} ${played.golden.request.target}`,
    `  - ${expected}`,
    `  + ${statusLine}: ${body}`,
  ];
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
