import assert from "node:assert/strict";
import { changeQuery, queryChanger } from "@/core/request/change_query.ts";

const NONE: ReadonlySet<string> = new Set();
const SECRET: ReadonlySet<string> = new Set(["apikey"]);

Deno.test("a link keeps the parameters of its own query string, without the credentials of its own service", () => {
  const first = queryChanger("limit=5&apikey=a", SECRET);
  const second = queryChanger("limit=7&apikey=b&ui.at=3", SECRET);
  const third = queryChanger("limit=5&apikey=a", NONE);
  assert.equal(first({ sort: "x y" }), "?limit=5&sort=x%20y");
  assert.equal(second({}), "?limit=7");
  assert.equal(third({}), "?limit=5&apikey=a");
  assert.equal(queryChanger("limit=5&apikey=a", SECRET)({ limit: undefined }), "");
  assert.equal(changeQuery("", { limit: "1" }, SECRET), "?limit=1");
});
