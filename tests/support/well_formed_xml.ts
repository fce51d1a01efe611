/**
 * Judges of XML that know nothing of the writer.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SaxesParser } from "saxes";
import { findProgram } from "@/tests/support/servers/programs.ts";

/** Throws unless the text is a namespace-well-formed XML document. */
export function assertXml(text: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw new Error(`${error.message} in ${JSON.stringify(text.slice(0, 2000))}`);
  });
  parser.write(text.toWellFormed()).close();
}

/** The names of all elements and the text right inside them, in order of their end. */
export function readElements(text: string): [name: string, text: string][] {
  const parser = new SaxesParser();
  const found: [string, string][] = [];
  const open: string[] = [];
  parser.on("opentag", () => void open.push(""));
  parser.on("text", (piece) => void open.push((open.pop() ?? "") + piece));
  parser.on("closetag", (tag) => void found.push([tag.name, open.pop() ?? ""]));
  parser.write(text).close();
  return found;
}

/** Tells whether libxml2's command is installed. The run of the continuous integration needs it. */
export const XMLLINT_MISSING: boolean = Deno.env.get("CI") !== "true" &&
  !findProgram("xmllint") !== undefined;

/** Throws unless libxml2 accepts the text, as a document or as an instance of a schema in a file. */
export async function assertXmllint(text: string, schemaFile?: string): Promise<void> {
  const command = new Deno.Command("xmllint", {
    args: ["--noout", "--nonet", ...schemaFile === undefined ? [] : ["--schema", schemaFile], "-"],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  });
  const child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { code, stderr } = await child.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr).slice(0, 2000));
}

/** Throws unless libxml2 accepts the schema and each of the texts under it. */
export async function assertValidXml(schema: string, texts: readonly string[]): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".xsd" });
  try {
    await Deno.writeTextFile(file, schema);
    for (const text of texts) await assertXmllint(text, file);
  } finally {
    await Deno.remove(file);
  }
}
