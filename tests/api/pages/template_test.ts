/** @module The operator's frame of all pages, `page.html` in `templates_path`. */

import assert from "node:assert/strict";
import { runMain } from "@/tests/support/process.ts";
import { inHome, startService } from "@/tests/support/service.ts";

const SETTINGS = "[service]\ntemplates_path = templates\nstatic_path = static\n";
const FRAME =
  '<!DOCTYPE html>\n<html lang="en">\n<head>\n{{head}}<meta name="house" content="$& ž"/>\n</head>\n' +
  "<body>\n<p>above</p>\n{{ bar }}{{ content }}<footer>Imprint</footer>\n</body>\n</html>\n";

function filesWith(frame: string) {
  return {
    "config/service.ini": SETTINGS,
    "config/templates/page.html": frame,
    "config/static/house.css": "",
  };
}

/** A page of each kind, with its status. */
const PAGES: readonly (readonly [path: string, status: number])[] = [
  ["/query.html", 200],
  ["/db.html", 200],
  ["/db/Demo/Port.html?limit=2", 200],
  ["/db/Demo/Port/PortId/1.html", 200],
  ["/db/Demo/Port/PortId/1/Name.html", 200],
  ["/db/Demo/Port.html?limit=2&depth=1", 200],
  ["/settings.html", 200],
  ["/login", 200],
  ["/db/Nowhere.html", 404],
];

Deno.test("pages of every kind stand in the operator's frame", async () => {
  await using service = await startService({ files: filesWith(FRAME) });
  for (const [path, status] of PAGES) {
    const answer = await service.fetch(path, { headers: { Accept: "text/html" } });
    const text = await answer.text();
    assert.equal(answer.status, status, path);
    assert.match(
      text,
      /^<!DOCTYPE html>\n.*<title>[^<]+<\/title>.*page\.css.*<meta name="house" content="\$& ž"\/>\n<\/head>\n<body>\n<p>above<\/p>\n<a class="skip.*<header.*<main id="main">.*<\/main>\n<footer>Imprint<\/footer>\n<\/body>\n<\/html>\n$/s,
      path,
    );
    assert.doesNotMatch(text, /\{\{/, path);
  }
  const data = await service.fetch("/db/Demo/Port/PortId/1.json");
  assert.doesNotMatch(await data.text(), /Imprint/);
});

const REFUSED: readonly (readonly [what: string, frame: string | undefined, reason: RegExp])[] = [
  ["is not there", undefined, /page\.html": No such file/],
  [
    "has no place for the content",
    "{{head}}{{bar}}",
    /page\.html": expected \{\{ head \}\}, .* in this order\n$/,
  ],
  ["has places in another order", "{{bar}}{{head}}{{content}}", /expected \{\{ head \}\}/],
  ["has a place twice", "{{head}}{{bar}}{{content}}{{content}}", /once each/],
];

for (const [what, frame, reason] of REFUSED) {
  Deno.test(`a frame that ${what} stops the start with a sentence`, async () => {
    const { "config/templates/page.html": _, ...others } = filesWith("");
    await inHome({ files: frame === undefined ? others : filesWith(frame) }, async (home) => {
      const { code, stderr } = await runMain(["check", "--home", home]);
      assert.equal(code, 1);
      assert.match(stderr, /^[^\n]*The format "html" cannot be set up: templates_path: [^\n]+\n$/);
      assert.match(stderr, reason);
    });
  });
}
