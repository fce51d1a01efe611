import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfiguration } from "@/config/mod.ts";
import type { RunningService } from "@/core/start/create_service.ts";
import type { DatabaseMapping, Operation } from "@/core/model.ts";
import { referencesIn, sharedComponents } from "@/core/openapi/components.ts";
import { viewNumber } from "@/core/openapi/database.ts";
import { databasePart, NameParts } from "@/core/openapi/names.ts";
import { describeSecurity } from "@/core/openapi/security.ts";
import { SILENT } from "@/core/storage/log.ts";
import json from "@/formats/json/mod.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { makeHome } from "@/tests/support/home.ts";
import { startQuietly } from "@/tests/unit/core/quiet_service.ts";

Deno.test("parts of names are letters, digits, hyphens and underscores, each of its own", () => {
  const parts = new NameParts();
  const cases: readonly (readonly [string, string])[] = [
    ["Port", "Port"],
    ["port", "port"],
    ["Order Details", "Order_Details"],
    ["Order.Details", "Order_Details_2"],
    ["Order_Details_2", "Order_Details_2_2"],
    ["caf\u00e9", "cafe"],
    ["\u8868", "_"],
    ["", "__2"],
    ["_", "__3"],
    ["__proto__", "___proto__"],
    ["constructor", "_constructor"],
  ];
  for (const [name, expected] of cases) assert.equal(parts.claim(name), expected, name);
});

Deno.test("different databases never share a name", () => {
  const ids = ["Demo", "a@b", "a~b", "a_b", "a40b", "a-b"];
  assert.deepEqual(ids.map(databasePart), ["Demo", "a..40b", "a..7eb", "a_b", "a40b", "a-b"]);
});

Deno.test("only components that something refers to are there", () => {
  const references = referencesIn({
    a: [{ $ref: "#/components/responses/Unavailable" }, { $ref: "#/components/schemas/Problem" }],
    b: "#/components/responses/Done",
  });
  assert.deepEqual([...references], ["#/components/responses/Unavailable"]);
  const { parameters, responses, headers } = sharedComponents(references);
  assert.deepEqual(
    [parameters, responses, headers].map((components) => Object.keys(components ?? {})),
    [[], ["Unavailable"], ["Warning", "XRequestId", "RetryAfter"]],
  );
});

Deno.test("schemes of different methods stay apart, and each is enough unless a method says otherwise", () => {
  const authenticate = () => ({ outcome: "absent" }) as const;
  const methods = [
    { name: "token", method: { authenticate, securitySchemes: { token: 1, other: 2 } } },
    {
      name: "mutual",
      method: {
        authenticate,
        securitySchemes: { token: 3, other: 4 },
        securityRequirements: [["token", "other"]],
      },
    },
    { name: "silent", method: { authenticate } },
  ];
  const closed = describeSecurity({ methods, users: new Map(), log: SILENT });
  assert.deepEqual(closed.schemes, { "token": 1, "token.other": 2, "mutual.token": 3, "mutual.other": 4 });
  assert.deepEqual(closed.withCredentials, [
    { "token": [] },
    { "token.other": [] },
    { "mutual.token": [], "mutual.other": [] },
  ]);
  assert.deepEqual(closed.optional, closed.withCredentials);
  const open = describeSecurity({ methods, users: new Map([["public", userOf("public")]]), log: SILENT });
  assert.deepEqual(open.optional, [{}, ...closed.withCredentials]);
});

async function startDemo(): Promise<RunningService> {
  const home = await makeHome();
  const directories = { config: join(home, "config"), state: join(home, "state"), log: join(home, "log") };
  const configuration = loadConfiguration(directories, {});
  const running = await startQuietly(configuration, [json, sqlite]);
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await Deno.remove(home, { recursive: true });
    },
  };
}

function mappingWith(...operations: readonly Operation[]): DatabaseMapping {
  return { dbuser: "", dbpass: "", access: new Map([["*", new Set(operations)]]) };
}

Deno.test("callers with the same rights in a database share a view, which has a number of its own", async () => {
  await using running = await startDemo();
  const managed = running.service.databases.get("Demo");
  if (!managed) throw new Error("The demo database is missing");
  const first = viewNumber({ managed, mapping: mappingWith("read") });
  assert.equal(viewNumber({ managed, mapping: mappingWith("read") }), first);
  assert.notEqual(viewNumber({ managed, mapping: mappingWith("read", "create") }), first);
});
