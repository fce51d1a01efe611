import assert from "node:assert/strict";
import { InProcess } from "./in_process.ts";

const TOO_DEEP: readonly (readonly [path: string, last: string])[] = [
  ["/version/x", "/version"],
  ["/version//", "/version"],
  ["/license/x", "/license"],
  ["/reqstatus/x", "/reqstatus"],
  ["/settings/check-query/x", "/settings/check-query"],
  ["/settings/check-database-connection/x", "/settings/check-database-connection"],
  ["/settings/reflect-status/Shop/x", "/settings/reflect-status/{db_id}"],
  ["/dbdef/Shop/x", "/dbdef/{db_id}"],
  ["/querydef/a/x", "/querydef/{query_id}"],
  ["/userdef/a/x", "/userdef/{user_id}"],
  ["/load-model/Shop/x", "/load-model/{db_id}"],
  ["/unload-model/Shop/x", "/unload-model/{db_id}"],
  ["/openapi/Shop/x", "/openapi/{db_id}"],
];

Deno.test("a path below the last level of a resource is 404, for every caller and method", async () => {
  await using open = await InProcess.open();
  for (const [path, last] of TOO_DEEP) {
    for (const login of ["public", "stranger"]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const message = `Cannot find "${path}": nothing is below ${last}`;
        assert.throws(() => open.plan(`${method} ${path}.json`, {}, login), { code: "not-found", message });
      }
    }
  }
});

Deno.test("a wrong name below /settings is told with those that are there", async () => {
  await using open = await InProcess.open();
  for (
    const [path, words] of [
      ["/settings/check-qurey", '; the nearest is "check-query"'],
      [
        "/settings/x/y",
        ': below /settings are "check-database-connection", "check-query", "plugins", "reflect-status"',
      ],
    ] as const
  ) {
    const message = `Cannot find "${path}"${words}`;
    assert.throws(() => open.plan(`GET ${path}.json`), { code: "not-found", message });
  }
});

Deno.test("a slash at the end of a path leads to the same resource", async () => {
  await using open = await InProcess.open();
  for (
    const path of ["/", "/db", "/version", "/settings", "/query", "/openapi", "/db/Shop", "/openapi/Shop"]
  ) {
    const [plain, slash] = [path, `${path}/`].map((each) => open.plan(`OPTIONS ${each}`));
    assert.deepEqual(slash, plain, path);
  }
});
