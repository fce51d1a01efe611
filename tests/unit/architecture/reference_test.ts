import assert from "node:assert/strict";
import { join } from "node:path";
import { PROVIDER as OIDC_PROVIDER } from "@/auth/jwt/provider_settings.ts";
import { PROVIDER as SAML_PROVIDER } from "@/auth/saml/settings.ts";
import { OPTION_HELP } from "@/config/command_options.ts";
import { definitionSchema } from "@/core/definitions/documents.ts";
import { STATUS } from "@/core/errors.ts";
import { PARAMETERS } from "@/core/request/parameter_table.ts";
import type { Shape } from "@/plugins/kit/members.ts";
import { ROOT } from "@/tests/support/root.ts";

const API = read("docs/api.md");
const CONFIGURATION = read("docs/configuration.md");
const OPERATIONS = read("docs/operations.md");
const SINGLE_SIGN_ON = read("docs/single-sign-on.md");

Deno.test("the documents name every query parameter", () => {
  assert.ok(PARAMETERS.size > 20);
  assert.deepEqual(missing([...PARAMETERS.keys()], API + CONFIGURATION), []);
});

Deno.test("the documents name every option of the command line", () => {
  const options = Object.keys(OPTION_HELP).map((name) => `--${name}`);
  assert.deepEqual(missing(options, OPERATIONS + CONFIGURATION), []);
});

Deno.test("docs/api.md explains every status of a refusal", () => {
  const table = API.slice(API.indexOf("## Errors"));
  assert.deepEqual(Object.values(STATUS).filter((status) => !table.includes(`${status}`)), []);
});

for (const kind of ["dbdef", "userdef", "querydef"] as const) {
  Deno.test(`the documents name every member of ${kind}`, () => {
    const members = Object.keys(definitionSchema(kind).properties);
    assert.deepEqual(missing(members, CONFIGURATION), []);
  });
}

for (
  const [protocol, { shape }] of Object.entries({
    "OpenID Connect": OIDC_PROVIDER,
    "SAML 2.0": SAML_PROVIDER,
  })
) {
  Deno.test(`docs/single-sign-on.md names every key of a provider of ${protocol}`, () => {
    const chapter = SINGLE_SIGN_ON.slice(SINGLE_SIGN_ON.indexOf(`## ${protocol}\n`)).split(/\n## /)[0] ?? "";
    const keys = namesIn(shape);
    assert.ok(keys.length > 15);
    assert.deepEqual(missing(keys, chapter), []);
  });
}

/** Names that stand nowhere in code: in backticks, or before a colon in an example. */
function missing(names: readonly string[], text: string): readonly string[] {
  const code = [...text.matchAll(/^```[^]*?^```$|`[^`\n]+`/gm)].map(([match]) => match).join("\n");
  return names.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code));
}

/** Names of members, those of blocks inside the block among them. */
function namesIn(shape: Shape): readonly string[] {
  return Object.entries(shape).flatMap(([name, reader]) => [
    name,
    ...("shape" in reader ? namesIn(reader.shape as Shape) : []),
  ]);
}

function read(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}
