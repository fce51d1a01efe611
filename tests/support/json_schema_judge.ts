/**
 * A judge of JSON that knows nothing of the writer: ajv in its strict mode.
 *
 * @module
 */

import assert from "node:assert/strict";
import { addFormats, Ajv2020 } from "@/tests/support/packages/ajv.ts";

/** Throws unless each of the texts is valid under the JSON Schema, and the schema knows all of its names. */
export function assertFits(schema: string, texts: readonly string[]): void {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  // The package's types describe it as a module, it is imported as the function that it is.
  (addFormats as unknown as (judge: Ajv2020) => void)(ajv);
  const tree = JSON.parse(schema);
  const validate = ajv.compile(tree);
  for (const text of texts) {
    const value: unknown = JSON.parse(text);
    assert.ok(validate(value), `${ajv.errorsText(validate.errors)}\n${schema}\n${text}`);
    assertKnown(tree, value);
  }
}

/**
 * A schema that says nothing of a name would let everything pass, unless it says that any name may be there.
 */
function assertKnown(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) assertKnown(schema["items"] as Schema, item);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const known = memberSchema(schema, name);
      assert.ok(known, `the schema does not know "${name}"`);
      if (known !== true) assertKnown(known, member);
    }
  }
}

type Schema = Record<string, unknown>;

/** The schema of a member; true where anything may be there. */
function memberSchema(schema: Schema, name: string): Schema | true | undefined {
  const { properties = {}, additionalProperties } = schema;
  const known = Object.getOwnPropertyDescriptor(properties, name)?.value ?? additionalProperties;
  return known !== undefined && Object.keys(known).length === 0 ? true : known;
}
