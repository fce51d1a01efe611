import assert from "node:assert/strict";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import { assertValidXml, XMLLINT_MISSING } from "@/tests/support/well_formed_xml.ts";
import { type RawRequest, sendRaw } from "@/tests/support/raw_request.ts";
import { shared } from "@/tests/support/service.ts";
import { type Golden, parseGolden } from "./golden.ts";
import { listGoldens, readGolden, startGoldenService } from "./service.ts";

const service = shared(() => startGoldenService());

/** The golden answers of status 200 in a format, without schemas. */
function answersIn(type: string): readonly (readonly [string, Golden])[] {
  const all = listGoldens().map((name) => [name, parseGolden(readGolden(name))] as const);
  return all.filter(([, { request, answer }]) => {
    const found = answer?.headers.find(([name]) => name === "Content-Type")?.[1] ?? "";
    return request.method === "GET" && !/[?&]schema\b/.test(request.target) &&
      answer?.statusLine === "HTTP/1.1 200 OK" && found.startsWith(type);
  });
}

/** The schema of a request's answer, after its redirects. */
async function schemaOf(request: RawRequest): Promise<{ readonly type: string; readonly text: string }> {
  let target = `${request.target}${request.target.includes("?") ? "&" : "?"}schema`;
  for (let steps = 0; steps < 3; steps++) {
    const { status, headers, text } = await sendRaw(service().port, { ...request, target });
    if (status !== 303) {
      assert.equal(status, 200, `${target}: ${text}`);
      return { type: headers.get("content-type") ?? "", text };
    }
    target = headers.get("location") ?? "";
  }
  throw new Error(`The schema of ${request.target} is redirected again and again`);
}

function bodyOf({ answer }: Golden): string {
  return `${answer?.body ?? ""}\n`;
}

const JSON_ANSWERS = answersIn("application/json");
const XML_ANSWERS = [...answersIn("text/xml"), ...answersIn("application/xml")];

Deno.test("there are golden answers in each format to be judged", () => {
  assert.ok(JSON_ANSWERS.length > 200, String(JSON_ANSWERS.length));
  assert.ok(XML_ANSWERS.length > 20, String(XML_ANSWERS.length));
});

for (const [name, golden] of JSON_ANSWERS) {
  Deno.test(`the answer of ${name} fits its JSON Schema`, async () => {
    const { type, text } = await schemaOf(golden.request);
    assert.match(type, /^application\/json/);
    assertFits(text, [bodyOf(golden)]);
  });
}

for (const [name, golden] of XML_ANSWERS) {
  Deno.test({
    name: `the answer of ${name} fits its XSD${XMLLINT_MISSING ? " (xmllint is not installed)" : ""}`,
    ignore: XMLLINT_MISSING,
    fn: async () => {
      const { type, text } = await schemaOf(golden.request);
      assert.match(type, /^text\/xsd/);
      await assertValidXml(text, [bodyOf(golden)]);
    },
  });
}
