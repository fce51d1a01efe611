import assert from "node:assert/strict";
import { createConfig, lintFromString } from "@/tests/support/packages/redocly.ts";
import { KEYS, startOpenApiService } from "./service.ts";
import { credentials } from "./document.ts";

/** The linter's own set of rules, and a few that it leaves off. */
const CONFIG = {
  extends: ["recommended"],
  rules: {
    "no-invalid-schema-examples": "error",
    "no-invalid-media-type-examples": "error",
    "no-ambiguous-paths": "error",
    "no-identical-paths": "error",
    "no-unused-components": "error",
    "operation-operationId-unique": "error",
    "operation-operationId-url-safe": "error",
    "operation-tag-defined": "error",
    "spec-components-invalid-map-name": "error",
  },
} as const;

/** Its JSON Schema validator ignores a property with this name. */
const BLIND_SPOT = "`__proto__`";

async function lint(source: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: [...CONFIG.extends], rules: CONFIG.rules });
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  return problems
    .filter(({ severity, message }) => severity === "error" && !message.includes(BLIND_SPOT))
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

Deno.test("the linter finds what is wrong", async () => {
  const source = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "x", version: "1" },
    paths: { "/a": { get: {} } },
  });
  assert.equal((await lint(source)).length > 0, true);
});

Deno.test("a public linter finds no error in any document", async () => {
  await using service = await startOpenApiService();
  const documents: readonly (readonly [string, string | undefined])[] = [
    ["/openapi.json", undefined],
    ["/openapi.json", KEYS.editor],
    ["/openapi.json", KEYS.clerk],
    ["/openapi.json", KEYS.idler],
    ["/openapi/Demo.json", undefined],
    ["/openapi/Demo.json", KEYS.clerk],
    ["/openapi/Awk@ward~1.json", KEYS.editor],
  ];
  for (const [path, key] of documents) {
    const response = await service.fetch(path, { headers: credentials(key) });
    assert.deepEqual([path, key, response.status], [path, key, 200]);
    assert.deepEqual(await lint(await response.text()), [], `${path} ${key}`);
  }
});

Deno.test("a public linter finds no error where anonymous access is closed and keys may stand in URLs", async () => {
  const settings =
    "allow_apikey_in_query_string = True\njson_sdb.href = False\njson_sdb.single_as_array = True\n";
  await using service = await startOpenApiService({
    closed: true,
    settings,
    args: ["--base-url", "https://data.example.com/tables"],
  });
  const response = await service.fetch("/openapi.json", { headers: credentials(KEYS.editor) });
  assert.equal(response.status, 200);
  assert.deepEqual(await lint(await response.text()), []);
});
