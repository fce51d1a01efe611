import assert from "node:assert/strict";
import { boundedText } from "@/auth/saml/bounded_text.ts";
import { parseXml } from "@/auth/saml/xml.ts";
import { Rejection } from "@/plugins/kit/providers/login_failure.ts";

// The check before the parser, and the parser, must read the same document.

/** A text in two bytes a character; all of these are UTF-8, too. */
function wide(text: string, order: "little" | "big"): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, each] of [...text].entries()) {
    view.setUint16(index * 2, each.charCodeAt(0), order === "little");
  }
  return bytes;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-16"?>';
const DOCUMENTS: Readonly<Record<string, string>> = {
  "a DOCTYPE with an entity": '<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>',
  "an attribute of a DTD": '<!DOCTYPE r [<!ATTLIST r ID CDATA "x">]><r></r>',
  "an external entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r>&a;</r>',
  "a comment": "<r>anna@example.com<!-- -->.evil.example</r>",
  "CDATA": "<r><![CDATA[anna@example.com]]></r>",
  "an instruction": "<r>anna@<?x y?>example.com</r>",
  "nothing that is forbidden": "<r>anna@example.com</r>",
};

function isNoXml(error: unknown): boolean {
  return error instanceof Rejection && error.message === "a message that is no XML";
}

for (const [name, document] of Object.entries(DOCUMENTS)) {
  for (const order of ["little", "big"] as const) {
    const bytes = wide(DECLARATION + document, order);
    Deno.test(`attack: a message with ${name}, in UTF-16 (${order} end first), is refused before it is parsed`, () => {
      assert.throws(
        () => boundedText(bytes),
        new Rejection("a message with a character that XML does not have"),
      );
    });
    Deno.test(`attack: the parser does not take a text for UTF-16 (${order} end first) with ${name}`, () => {
      const text = new TextDecoder().decode(bytes);
      assert.throws(() => parseXml(text), isNoXml);
    });
  }
}
