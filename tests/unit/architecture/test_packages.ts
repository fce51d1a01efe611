/**
 * The npm packages that are for tests alone.
 *
 * @module
 */

const FOLDER = new URL("../../support/packages/", import.meta.url);

/** A package as a module of tests/support/packages/ names it. */
export interface TestPackage {
  readonly name: string;
  /** The text after the name, which must be one exact version. */
  readonly version: string;
}

/** Every package that a module of tests/support/packages/ names. */
export function testPackages(): readonly TestPackage[] {
  const files = [...Deno.readDirSync(FOLDER)].filter(({ name }) => name.endsWith(".ts"));
  return files.flatMap(({ name }) => namedIn(Deno.readTextFileSync(new URL(name, FOLDER))));
}

function namedIn(source: string): readonly TestPackage[] {
  const specifiers = source.matchAll(/"npm:((?:@[^/@"]+\/)?[^/@"]+)(?:@([^/"]*))?/g);
  return [...specifiers].map(([, name = "", version = ""]) => ({ name, version }));
}
