/**
 * Which folders may import which npm package. A package that is hidden behind
 * one folder can be replaced there.
 *
 * @module
 */

/** Tests and benchmarks may import every package, so their list has only the packages of their own. */
export const PACKAGE_OWNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["@codemirror/autocomplete", ["formats/html/client"]],
  ["@codemirror/commands", ["formats/html/client"]],
  ["@codemirror/lang-sql", ["formats/html/client"]],
  ["@codemirror/language", ["formats/html/client"]],
  ["@codemirror/lint", ["formats/html/client"]],
  ["@codemirror/state", ["formats/html/client"]],
  ["@codemirror/view", ["formats/html/client"]],
  ["@dagrejs/dagre", ["tests/support/packages"]],
  ["@hono/node-server", ["core"]],
  ["@lezer/highlight", ["formats/html/client"]],
  ["@node-rs/argon2", ["core"]],
  ["@hey-api/openapi-ts", ["tests/support/packages"]],
  ["@redocly/openapi-core", ["tests/support/packages"]],
  ["@zxcvbn-ts/core", ["core"]],
  ["@zxcvbn-ts/language-common", ["core"]],
  ["@zxcvbn-ts/language-en", ["core"]],
  ["@e965/xlsx", ["tests/support/packages"]],
  ["ajv", ["tests/support/packages"]],
  ["ajv-formats", ["tests/support/packages"]],
  ["axe-core", ["tests/support/packages"]],
  ["better-sqlite3", ["plugins/dialects/sqlite"]],
  ["csv-parse", ["tests/support/packages"]],
  ["esbuild", ["tests/support/packages"]],
  ["fast-check", ["tests/support/packages"]],
  ["fastest-levenshtein", ["core"]],
  ["hono", ["core"]],
  ["html-validate", ["tests/support/packages"]],
  ["ini", ["config"]],
  ["jose", ["auth/jwt"]],
  ["kysely", ["core", "plugins"]],
  ["ldapts", ["examples/auth/ldap"]],
  ["libxml2-wasm", ["auth/saml"]],
  ["memjs", ["plugins/caches/memcached"]],
  ["mysql2", ["plugins/dialects/mysql"]],
  ["oauth4webapi", ["auth/jwt"]],
  ["oidc-provider", ["tests/support/packages"]],
  ["openapi-client-axios", ["tests/support/packages"]],
  ["openapi-fetch", ["tests/support/packages"]],
  ["openapi-typescript", ["tests/support/packages"]],
  ["postgres", ["plugins/dialects/postgresql"]],
  ["@duckdb/node-api", ["tests/support/packages"]],
  ["puppeteer-core", ["tests/support/packages"]],
  ["re2js", ["plugins/kit"]],
  ["samlify", ["auth/saml"]],
  ["samlp", ["tests/support/packages"]],
  ["saxes", ["formats/xml", "examples/formats/xlsx"]],
  ["swagger-ui-dist", ["formats/html/client"]],
  ["tedious", ["plugins/dialects/mssql"]],
  ["vega", ["tests/support/packages"]],
  ["vega-lite", ["tests/support/packages"]],
  ["xmlchars", ["formats/xml"]],
  ["yaml", ["config"]],
]);

/** True when `path` lies in one of the folders. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}
