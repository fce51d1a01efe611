import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import type { Plan } from "@/core/resources.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

const JSON_BODY = { "Content-Type": "application/json" };

/** A plan in a few words: `insert Item json gives MakerId from Maker`. */
function describe(plan: Plan): string {
  switch (plan.kind) {
    case "insert": {
      const columns = [...plan.filtered.keys(), ...(plan.parent?.relation.foreign ?? [])];
      const names = columns.map((position) => plan.table.columns[position]?.name).join();
      const given = names === "" ? "" : ` gives ${names}`;
      const owner = plan.parent ? ` from ${plan.parent.steps.at(-1)?.table.name}` : "";
      return `insert ${plan.table.name} ${plan.body.name}${given}${owner}`;
    }
    case "update":
      return `update ${plan.table.name} ${plan.body.name} ${plan.match ?? "always"}`;
    case "delete":
      return `delete ${plan.table.name} ${plan.match ?? "always"}`;
    default:
      return plan.kind;
  }
}

Deno.test("a write is planned from method, path and headers", async () => {
  await using shop = await InProcess.open();
  const match = { ...JSON_BODY, "If-Match": 'W/"abc", "def"' };
  const cases: readonly (readonly [string, Record<string, string>, string])[] = [
    ["POST /db/Shop/Tag.json", {}, "insert Tag json"],
    ["POST /db/Shop/Tag", { "Content-Type": "text/csv" }, "insert Tag csv"],
    ["POST /db/Shop/Tag.json", { "Content-Type": "text/xml" }, "insert Tag xml"],
    ["POST /db/Shop/Tag/Meaning/x.json", {}, "insert Tag json gives Meaning"],
    ["POST /db/Shop/Maker/MakerId/1/Item.json", {}, "insert Item json gives MakerId from Maker"],
    ["POST /db/Shop/Maker/Item/Status/x.json", {}, "insert Item json gives Status,MakerId from Maker"],
    ["PUT /db/Shop/Tag/Text/x.json", JSON_BODY, "update Tag json always"],
    ["PUT /db/Shop/Tag/Text/x.csv", match, "update Tag json abc,def"],
    ["PUT /db/Shop/Tag.json?all", JSON_BODY, "update Tag json always"],
    ["DELETE /db/Shop/Tag/Text/x.json", {}, "delete Tag always"],
    ["DELETE /db/Shop/Tag/Text/x.json", match, "delete Tag abc,def"],
    ["DELETE /db/Shop/Maker/MakerId/1/Item.html", {}, "delete Item always"],
    ["OPTIONS /db/Shop/Tag.json", {}, "options"],
  ];
  for (const [request, headers, expected] of cases) {
    assert.equal(describe(shop.plan(request, headers)), expected, request);
  }
});

Deno.test("what cannot be written so is refused before anything is read", async () => {
  await using shop = await InProcess.open();
  const cases: readonly (readonly [string, number, Record<string, string>?])[] = [
    ["POST /db/Shop/Tag/Text.json", 405],
    ["PUT /db/Shop/Tag/Text/x/Meaning.json", 405],
    ["DELETE /db/Shop/Tag/Text,Meaning.json", 405],
    ["DELETE /db/Shop.json", 405],
    ["PATCH /db/Shop/Tag/Text/x.json", 405],
    ["TRACE /db/Shop/Tag.json", 405],
    ["POST /db/Shop/Tag", 415],
    ["PUT /db/Shop/Tag/Text/x.html", 415],
    ["PUT /db/Shop/Tag.json", 400],
    ["DELETE /db/Shop/Tag.json?all=0", 400],
    ["DELETE /db/Shop/Tag/Meaning/x.json", 400, { "If-Match": '"abc"' }],
    ["POST /db/Shop/Tag/Text/a,b.json", 400],
    ["POST /db/Shop/Tag/Text/a*.json", 400],
    ["POST /db/Shop/Item/ItemId/1...json", 400],
    ["POST /db/Shop/Part/PartId/1/Item.json", 400],
    ["DELETE /db/Shop/Item/ItemId/x.json", 400],
    ["POST /db/Shop/Tagg.json", 404],
    ["POST /db/Shopp/Tag.json", 404],
  ];
  for (const [request, status, headers] of cases) {
    assert.throws(() => shop.plan(request, headers), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.status, status, request);
      return true;
    });
  }
});

Deno.test("parameters that choose rows are refused by writes, and those about a record have no effect", async () => {
  await using shop = await InProcess.open();
  const refused = ["limit=1", "offset=1", "sort=Text", "distinct", "count", "stream"];
  for (const parameter of [...refused, "schema", "cardinality=1"]) {
    const [name] = parameter.split("=");
    for (const method of ["POST", "PUT", "DELETE"]) {
      assert.throws(() => shop.plan(`${method} /db/Shop/Tag/Text/x.json?${parameter}`), {
        message: `Cannot use parameter "${name}" with ${method}: it is for reading`,
      });
    }
  }
  const accepted = ["csvNullStr", "nullStr=x", "separator=;", "placeholder=x", "wildcard=x"];
  const idle = ["href=0", "depth=1", "wantarray", "transpose", "headers=false", "nil_visible", "tz=Z", "bom"];
  for (const parameter of [...accepted, ...idle]) {
    assert.equal(describe(shop.plan(`DELETE /db/Shop/Tag/Text/x.json?${parameter}`)), "delete Tag always");
  }
});

Deno.test("rights are checked for each operation, and before the body's format", async () => {
  await using shop = await InProcess.open();
  const cases: readonly (readonly [string, string])[] = [
    ["POST /db/Shop/Maker", 'Cannot create records of table "Maker"'],
    ["PUT /db/Shop/Part/PartId/1", 'Cannot update records of table "Part"'],
    ["DELETE /db/Shop/Item/ItemId/1", 'Cannot delete records of table "Item"'],
    ["DELETE /db/Shop/Item", 'Cannot delete records of table "Item"'],
    ["PUT /db/Shop/Tag/Text/x", 'Cannot read table "Tag"'],
    ["POST /db/Shop/Shelf", 'Cannot create records of table "Shelf"'],
    ["POST /db/Shop/Shelf/Room/x", 'Cannot read table "Shelf"'],
  ];
  for (const [request, start] of cases) {
    assert.throws(() => shop.plan(request, {}, "clerk"), {
      code: "forbidden",
      message: `${start}: log in, or resend with a valid API key of a user who may`,
    });
  }
  assert.equal(describe(shop.plan("POST /db/Shop/Tag.json", {}, "clerk")), "insert Tag json");
});
