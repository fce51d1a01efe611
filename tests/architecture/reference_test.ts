import assert from "node:assert/strict";
import { join } from "node:path";
import { readProviders } from "@/auth/jwt/provider_settings.ts";
import { parseYaml } from "@/config/yaml.ts";
import { definitionSchema } from "@/core/definitions/schemas.ts";
import { STATUS } from "@/core/errors.ts";
import { PARAMETERS } from "@/core/request/parameter_table.ts";
import { ROOT } from "@/tests/service.ts";

const API = read("docs/api.md");
const CONFIGURATION = read("docs/configuration.md");
const SINGLE_SIGN_ON = read("docs/single-sign-on.md");

Deno.test("the documents name every query parameter", () => {
  assert.ok(PARAMETERS.size > 20);
  assert.deepEqual(missing([...PARAMETERS.keys()], API + CONFIGURATION), []);
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

Deno.test("docs/single-sign-on.md names every key of a provider of OpenID Connect", () => {
  const keys: string[] = [];
  readProviders({}, {
    providerBlocks(_configured, known) {
      keys.push(...known);
      return [];
    },
  });
  assert.ok(keys.length > 10);
  assert.deepEqual(missing(keys, SINGLE_SIGN_ON), []);
});

Deno.test("docs/single-sign-on.md names every key of the sample's provider of SAML", () => {
  const { value } = parseYaml(read("config/sample/auth.cfg"));
  const path = ["authentication_policies", "saml", "identity_providers", "example"];
  const keys = keysOf(path.reduce(memberOf, value));
  assert.ok(keys.length > 20);
  assert.deepEqual(missing(keys, SINGLE_SIGN_ON), []);
});

/** Names that stand nowhere in code: in backticks, or before a colon in an example. */
function missing(names: readonly string[], text: string): readonly string[] {
  const code = [...text.matchAll(/^```[^]*?^```$|`[^`\n]+`/gm)].map(([match]) => match).join("\n");
  return names.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

function read(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}
