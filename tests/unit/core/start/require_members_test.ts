import assert from "node:assert/strict";
import { requireDialect, requireFormat } from "@/core/start/require_members.ts";
import type { Dialect, Format } from "@/plugins/contract.ts";
import json from "@/formats/json/mod.ts";
import { HOST } from "@/tests/conformance/shapes.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

const FORMAT = json.setup(sectionOf(json), HOST);

/** Members of a format that are none, and what the operator is told. */
const FORMATS: readonly (readonly [members: object, complaint: RegExp])[] = [
  [{ writer: 7 }, /^of what its setup gives writer must be a function$/],
  [{ accepts: "text/x" }, /accepts must be a list of texts/],
  [{ contentTypes: [null] }, /^null is no content type/],
  [{ nested: "yes" }, /nested must be a boolean/],
  [{ read: 7, schema: {} }, /read must be a function, schema must be a function/],
  [{ assets: { "a.js": "" } }, /assets must be a Map of files/],
  [{ assets: new Map([["a.js", { contentType: "text/javascript" }]]) }, /assets must be a Map of files/],
  [{ parameters: 7 }, /parameters must be a plain object/],
  [{ parameters: { width: null } }, /^its parameter "width" must be an object with a type/],
  [{ parameters: { width: { type: "list", parts: ["answer"] } } }, /parameter "width" must be an object/],
  [{ parameters: { width: { type: "text" } } }, /parameter "width" must be an object/],
  [{ parameters: { width: { type: "text", parts: ["question"] } } }, /parameter "width" must be/],
];

for (const [members, complaint] of FORMATS) {
  Deno.test(`a format with ${Object.keys(members)} that is none: ${complaint.source}`, () => {
    assert.throws(() => requireFormat({ ...FORMAT, ...members } as Format), { message: complaint });
  });
}

/** Members of a dialect that are none. */
const DIALECTS: readonly (readonly [members: object, complaint: RegExp])[] = [
  [{ connect: 7 }, /connect must be a function/],
  [{ hasLogins: "no" }, /hasLogins must be a boolean/],
  [{ directories: "/srv" }, /directories must be a list of texts/],
  [{ requireFileIn: true }, /requireFileIn must be a function/],
  [{ files: 7 }, /^its member files gives number, not an object$/],
];

for (const [members, complaint] of DIALECTS) {
  Deno.test(`a dialect with ${Object.keys(members)} that is none: ${complaint.source}`, () => {
    const dialect = { connect: () => Promise.reject(), ...members } as Dialect;
    assert.throws(() => requireDialect(dialect), { message: complaint });
  });
}

Deno.test("members that are there in the right form, or absent, are no mistake", () => {
  const bytes = new Uint8Array();
  const assets = new Map([["a.js", { contentType: "text/javascript", bytes }]]);
  const width = { type: "text", values: ["a"], parts: ["answer", "body"] } as const;
  requireFormat({ ...FORMAT, assets, parameters: { width }, binary: false });
  requireDialect({ connect: () => Promise.reject(), directories: ["/srv"], hasLogins: true });
});
