import assert from "node:assert/strict";
import { allowedMethods, refuseMethod } from "@/core/tables/allowed_methods.ts";
import type { Operation } from "@/core/model.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([table("Person", "Id:integer Name", { key: ["Id"] })]);

function allowed(operations: readonly Operation[] | undefined, path: string): string {
  const isForbidden = () => false;
  const context = { database: "Test", schema: SCHEMA, isForbidden, grammar: LINKS.grammar, traits };
  const may = (_: string, operation: Operation) => operations?.includes(operation) ?? true;
  return allowedMethods(may, walkPath(path.split("/"), context));
}

Deno.test("the methods of a table are those that the caller has the rights for", () => {
  const cases: readonly (readonly [readonly Operation[] | undefined, string])[] = [
    [undefined, "GET, HEAD, OPTIONS, POST, PUT, DELETE"],
    [["read"], "GET, HEAD, OPTIONS"],
    [["read", "create"], "GET, HEAD, OPTIONS, POST"],
    [["read", "update"], "GET, HEAD, OPTIONS, PUT"],
    [["read", "delete"], "GET, HEAD, OPTIONS, DELETE"],
    [["create"], "OPTIONS, POST"],
    [["update", "delete"], "OPTIONS"],
    [[], "OPTIONS"],
  ];
  for (const [operations, expected] of cases) assert.equal(allowed(operations, "Person/Id/1"), expected);
});

Deno.test("a column list can only be read", () => {
  assert.equal(allowed(undefined, "Person/Id/1/Name"), "GET, HEAD, OPTIONS");
  assert.equal(allowed(undefined, "Person/Name,Id"), "GET, HEAD, OPTIONS");
});

Deno.test("a refusal names the methods in its message and its header", () => {
  const { status, message, headers } = refuseMethod("PATCH", "GET, POST");
  assert.deepEqual([status, message], [405, "Cannot PATCH this resource: use GET, POST"]);
  assert.deepEqual(headers, { Allow: "GET, POST" });
});
