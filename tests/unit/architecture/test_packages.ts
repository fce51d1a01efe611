/**
 * The npm packages that are for tests and examples alone.
 *
 * @module
 */

const FOLDER = new URL("../../support/packages/", import.meta.url);
/** What pages load is bundled of packages that the service does not have. */
const BUNDLED = ["codemirror", "swagger"].map((name) =>
  new URL(`../../../formats/html/client/${name}.ts`, import.meta.url)
);

/** A package as a module of tests/support/packages/ names it. */
export interface TestPackage {
  readonly name: string;
  /** The text after the name, which must be one exact version. */
  readonly version: string;
}

/** Modules of examples with packages of their own. */
const EXAMPLES = ["auth/ldap/directory"].map((name) =>
  new URL(`../../../examples/${name}.ts`, import.meta.url)
);

/**
 * Every package that a module of tests/support/packages/ or an example names, and
 * those that are bundled for browsers.
 */
export function testPackages(): readonly TestPackage[] {
  const files = [...Deno.readDirSync(FOLDER)].filter(({ name }) => name.endsWith(".ts"));
  const places = [...files.map(({ name }) => new URL(name, FOLDER)), ...BUNDLED, ...EXAMPLES];
  return places.flatMap((place) => namedIn(Deno.readTextFileSync(place)));
}

function namedIn(source: string): readonly TestPackage[] {
  const specifiers = source.matchAll(/"npm:((?:@[^/@"]+\/)?[^/@"]+)(?:@([^/"]*))?/g);
  return [...specifiers].map(([, name = "", version = ""]) => ({ name, version }));
}
