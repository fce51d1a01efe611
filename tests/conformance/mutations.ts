/**
 * Texts that were valid before something happened to them.
 *
 * @module
 */

import fc from "@/tests/support/random.ts";

/** Pieces that mean something to some format. */
const PIECES = [
  ..."{}[]\",:<>&;/=!-'_\\ \t\r\n\0\ufeff\u00e9",
  "\u{1f600}",
  "\ud800",
  "\\u",
  "\\ud800",
  "null",
  "true",
  "1e999",
  "__proto__",
  "constructor",
  "]]>",
  "<![CDATA[",
  "<!--",
  "-->",
  "<!DOCTYPE x [<!ENTITY a 'b'>]>",
  "&a;",
  "&#0;",
  "&#x41;",
  "<?xml version='1.0'?>",
  " xsi:nil='true'",
  " xmlns:a='b'",
  "a:",
  "</",
  "/>",
  '""',
];

/** Cuts `removed` characters out at a place, in parts of {@link WHOLE}, and puts `added` there. */
interface Mutation {
  readonly at: number;
  readonly removed: number;
  readonly added: string;
}

const WHOLE = 10_000;

/** One to four changes of a text. */
export function mutationsOf(text: string): fc.Arbitrary<string> {
  const some = Array.from({ length: 20 }, (_, index) => text.slice(index * 7, index * 7 + 12));
  const mutation = fc.record<Mutation>({
    // Without it most changes are near the start, where nothing else matters any more.
    at: fc.noBias(fc.nat(WHOLE)),
    removed: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(20), fc.nat(text.length)),
    added: fc.oneof(fc.constant(""), fc.constantFrom(...PIECES), fc.constantFrom(...some)),
  });
  return fc.array(mutation, { minLength: 1, maxLength: 4 }).map((all) => all.reduce(mutate, text));
}

function mutate(text: string, { at, removed, added }: Mutation): string {
  const start = Math.floor(at * text.length / WHOLE);
  return text.slice(0, start) + added + text.slice(start + removed);
}
