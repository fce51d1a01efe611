import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliCompressSync, constants } from "node:zlib";
import { readAssets } from "@/formats/html/assets.ts";
import { buildAssets } from "@/tests/support/page_assets.ts";

// The bundler does not wait for the end of its process.
Deno.test.sanitizer({ ops: false, resources: false });

const committed = readAssets();

Deno.test({
  name: "the files that pages load are built from their sources: deno task assets",
  // esbuild does not wait for the end of the process that it stops.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    for (const [name, bytes] of await buildAssets()) {
      const found = await Deno.readFile(new URL(`../../../formats/html/assets/${name}`, import.meta.url));
      assert.ok(Buffer.from(found).equals(bytes), `${name} is not what the sources give`);
    }
  },
});

/** The best one of Brotli takes seven times as long for 7 % less. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const LIMITS = [
  ["page.css", 8_192],
  ["page.js", 10_240],
  ["icon.svg", 1_024],
  ["editor.js", 131_072],
  ["explorer.js", 409_600],
  ["explorer.css", 32_768],
] as const;

for (const [name, most] of LIMITS) {
  Deno.test(`${name} has at most ${most} bytes, compressed`, () => {
    const { bytes } = committed.get(name) ?? {};
    assert.ok(bytes && brotliCompressSync(bytes, QUALITY).length <= most);
  });
}

Deno.test("the files that pages load name no other host", () => {
  // Swagger UI has addresses in its texts; in a browser it asks no other host (tests/browser).
  for (const [name, { bytes }] of committed) {
    if (name.startsWith("explorer.")) continue;
    const text = new TextDecoder().decode(bytes).replaceAll("http://www.w3.org/2000/svg", "");
    assert.doesNotMatch(text, /https?:|@import|url\(\/\//, name);
  }
});
