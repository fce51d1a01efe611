import assert from "node:assert/strict";
import xsd from "@/formats/xsd/mod.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { chunkText, options, page, shape } from "@/tests/conformance/shapes.ts";
import { assertXml } from "@/tests/support/well_formed_xml.ts";

testFormat("xsd", () => xsd, { wellFormed: assertXml, schemasOnly: true });

function problemText(urlTemplate?: string): string {
  const format = xsd.setup();
  const problem = { httpCode: 404, description: 'No "<x>" & co\0', ...(urlTemplate ? { urlTemplate } : {}) };
  return chunkText(format.problem(problem, options(format), page()));
}

Deno.test("xsd shows the schemas of xml as text/xsd and has no data", () => {
  const format = xsd.setup();
  assert.equal(format.schemasOf, "xml");
  assert.deepEqual(format.contentTypes, ["text/xsd"]);
  assert.equal(format.accepts, undefined);
  assert.equal(format.read, undefined);
  assert.equal(format.escape?.(0xe9), "&#233;");
  assert.throws(() => format.writer(shape([]), options(format)), {
    message: "XSD describes data, it holds none",
  });
});

Deno.test("xsd writes problems as XML", () => {
  const start =
    '<?xml version="1.0" encoding="UTF-8"?>\n<error xmlns="urn:rowhouse"><http_code>404</http_code>' +
    "<description>No &quot;&lt;x&gt;&quot; &amp; co</description>";
  assert.equal(problemText(), `${start}</error>\n`);
  assert.equal(problemText("/a/{b}"), `${start}<url_template>/a/{b}</url_template></error>\n`);
});
