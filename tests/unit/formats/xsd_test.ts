import assert from "node:assert/strict";
import xsd from "@/formats/xsd/mod.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { chunkText, HOST, options, page, shape } from "@/tests/conformance/shapes.ts";
import { assertXml } from "./well_formed_xml.ts";

testFormat("xsd", () => xsd, { wellFormed: assertXml, schemasOnly: true });

function problemText(product: string, urlTemplate?: string): string {
  const format = xsd.setup({}, { ...HOST, product });
  const problem = { httpCode: 404, description: 'No "<x>" & co\0', ...(urlTemplate ? { urlTemplate } : {}) };
  return chunkText(format.problem(problem, options(format), page()));
}

Deno.test("xsd shows the schemas of xml as text/xsd and has no data", () => {
  const format = xsd.setup({}, HOST);
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
    '<?xml version="1.0" encoding="UTF-8"?>\n<Rowhouse xmlns="urn:rowhouse"><http_code>404</http_code>' +
    "<description>No &quot;&lt;x&gt;&quot; &amp; co</description>";
  assert.equal(problemText("Rowhouse"), `${start}</Rowhouse>\n`);
  assert.equal(problemText("Rowhouse", "/a/{b}"), `${start}<url_template>/a/{b}</url_template></Rowhouse>\n`);
});

for (
  const [product, root] of [
    ["My data", "My_x0020_data"],
    ["1st", "_x0031_st"],
    ["XMLthing", "_x0058_MLthing"],
    ["Gr\u00f6\u00dfe", "Gr_x00F6__x00DF_e"],
    ["\u{1f600}", "_xD83D__xDE00_"],
    ["a:b", "a_x003A_b"],
    ["", "_"],
  ] as const
) {
  Deno.test(`xsd names the root of the product ${JSON.stringify(product)} ${root}`, () => {
    const text = problemText(product);
    assert.match(text, new RegExp(`\n<${root} .*</${root}>\n$`));
    assertXml(text);
  });
}
