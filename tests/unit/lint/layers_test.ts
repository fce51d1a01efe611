import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./layers.ts";

/** Runs every rule and returns the first complaint as `rule: message`, or `ok`. */
function complaint(file: string, source: string): string {
  const [first] = Deno.lint.runPlugin(plugin, file, source);
  return first ? `${first.id}: ${first.message}` : "ok";
}

const RULES = {
  config:
    "config/ imports only config/, plugins/contract.ts, plugins/kit/members.ts and core/{model,catalog,errors,base/nearest,storage/shared_file,identity/passwords}.ts",
  contract:
    "plugins/contract.ts imports only its folder plugins/contract/, core/{model,catalog,errors}.ts and types of kysely",
  plugin:
    "a plugin imports only its own folder (relatively), @/plugins/contract.ts, @/plugins/kit/, npm packages and node: modules",
  plugins:
    "plugins/*.ts import only each other, core/{errors,model,catalog}.ts, core/base/nearest.ts and in_time.ts",
};

/** The rule of a room of core. */
function roomRule(room: string): string {
  return `core/${room} imports only itself and rooms of core below it, plugins/*.ts, plugins/kit/{bag,bounded,database_failure,deadline,dialect_kit,network_turns,numbers,password_attempt,timer_queue}.ts, ` +
    "config/mod.ts and config/settings.ts, never a plugin";
}

const ALLOWED: readonly (readonly [file: string, source: string])[] = [
  ["core/start/snapshots.ts", 'import { settlesWithin } from "@/plugins/kit/deadline.ts";'],
  ["core/start/serve.ts", 'import { writeSample } from "@/config/sample.ts"; import "@/core/http/app.ts";'],
  ["core/resources.ts", 'import type { Service } from "./service.ts"; import "@/core/tables/plan_read.ts";'],
  ["core/base/nearest.ts", 'import { distance } from "fastest-levenshtein";'],
  ["core/http/app.ts", 'import { Hono } from "hono"; import { cors } from "hono/cors";'],
  [
    "core/http/app.ts",
    'import { ServiceError } from "@/core/errors.ts"; import { createHash } from "node:crypto";',
  ],
  [
    "core/resources.ts",
    'import type { Settings } from "@/config/settings.ts"; import type { Format } from "@/plugins/contract.ts";',
  ],
  ["core/identity/sessions/file.ts", 'import { ServiceError } from "@/core/errors.ts";'],
  [
    "plugins/contract.ts",
    'import type { Compilable } from "kysely"; import type { Row } from "@/core/model.ts";',
  ],
  [
    "plugins/contract.ts",
    'import { type Compilable } from "kysely"; export type { Row } from "@/core/model.ts";',
  ],
  ["plugins/dialects/mysql/pool.ts", 'import { bounded } from "@/plugins/kit/bounded.ts";'],
  [
    "plugins/kit/turns.ts",
    'import { bounded } from "./bounded.ts"; import type { PoolSettings } from "@/plugins/contract.ts";',
  ],
  ["plugins/contract.ts", 'export type * from "./contract/format.ts";'],
  [
    "plugins/contract/format.ts",
    'import type { Page } from "./page.ts"; import type { Row } from "@/core/model.ts";',
  ],
  ["plugins/contract/sql_traits.ts", 'import type { Expression } from "kysely";'],
  [
    "plugins/discover.ts",
    'import { nearest } from "@/core/base/nearest.ts"; import { enable } from "./enable.ts";',
  ],
  [
    "formats/json/mod.ts",
    'import { write } from "./write.ts"; import { CONTRACT } from "@/plugins/contract.ts";',
  ],
  ["formats/json/deep/x.ts", 'import { write } from "../write.ts"; import { Buffer } from "node:buffer";'],
  ["plugins/dialects/sqlite/mod.ts", 'import Sqlite from "better-sqlite3"; import { sql } from "kysely";'],
  [
    "config/mod.ts",
    'import { parse } from "yaml"; import ini from "ini"; import { hash } from "@/core/identity/passwords.ts";',
  ],
  ["main.ts", 'import json from "@/formats/json/mod.ts"; import { start } from "@/core/service.ts";'],
  [
    "tests/unit/core/app_test.ts",
    'import { main } from "@/main.ts"; import fc from "fast-check"; import x from "unheard-of";',
  ],
  ["tests/support/packages/ajv.ts", 'export { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";'],
  ["tests/support/packages/redocly.ts", 'export { lint } from "npm:@redocly/openapi-core@2.64.0";'],
  ["bench/baseline.ts", 'import { Hono } from "hono"; import Sqlite from "better-sqlite3";'],
  ["examples/formats/hello/mod.ts", 'import type { Format } from "../../../plugins/contract.ts";'],
  [
    "plugins/load.ts",
    "const found = await import(location); /** N. */ export const name = 1; export { found };",
  ],
];

for (const [file, source] of ALLOWED) {
  Deno.test(`${file} may have: ${source}`, () => assert.equal(complaint(file, source), "ok"));
}

const LAYERS: readonly (readonly [file: string, specifier: string, rule: string])[] = [
  ["core/model.ts", "./errors.ts", "core/model.ts and core/errors.ts import nothing"],
  ["core/errors.ts", "node:buffer", "core/model.ts and core/errors.ts import nothing"],
  [
    "core/base/nearest.ts",
    "@/core/model.ts",
    "core/base/nearest.ts imports only core/errors.ts and fastest-levenshtein",
  ],
  [
    "core/base/nearest.ts",
    "hono",
    "core/base/nearest.ts imports only core/errors.ts and fastest-levenshtein",
  ],
  ["plugins/contract.ts", "@/core/http/app.ts", RULES.contract],
  ["plugins/contract.ts", "kysely", RULES.contract],
  ["plugins/contract.ts", "./discover.ts", RULES.contract],
  ["plugins/contract/format.ts", "@/core/http/app.ts", RULES.contract],
  ["plugins/contract/format.ts", "../discover.ts", RULES.contract],
  ["formats/json/mod.ts", "@/plugins/contract/format.ts", RULES.plugin],
  ["formats/json/mod.ts", "@/core/model.ts", RULES.plugin],
  ["formats/json/mod.ts", "../../core/model.ts", RULES.plugin],
  ["formats/json/mod.ts", "../xml/mod.ts", RULES.plugin],
  ["formats/json/mod.ts", "../json_lines/mod.ts", RULES.plugin],
  ["formats/json/mod.ts", "@/formats/json/write.ts", RULES.plugin],
  ["auth/apikey/mod.ts", "@/config/mod.ts", RULES.plugin],
  ["plugins/dialects/sqlite/mod.ts", "@/plugins/load.ts", RULES.plugin],
  ["plugins/discover.ts", "@/config/mod.ts", RULES.plugins],
  ["plugins/load.ts", "./dialects/sqlite/mod.ts", RULES.plugins],
  ["core/http/app.ts", "@/formats/json/mod.ts", roomRule("http")],
  ["core/http/app.ts", "../../auth/apikey/mod.ts", roomRule("http")],
  ["core/http/app.ts", "@/plugins/dialects/sqlite/mod.ts", roomRule("http")],
  ["core/http/app.ts", "@/config/entries.ts", roomRule("http")],
  ["core/http/app.ts", "@/main.ts", roomRule("http")],
  ["core/identity/sessions/file.ts", "../../../tests/fixtures/x.ts", roomRule("identity")],
  ["core/schema/walk_path.ts", "@/core/tables/plan_read.ts", roomRule("schema")],
  ["core/service.ts", "./resources.ts", roomRule("service.ts")],
  ["core/http/app.ts", "@/core/start/serve.ts", roomRule("http")],
  ["core/http/app.ts", "@/config/sample.ts", roomRule("http")],
  ["config/mod.ts", "@/core/request/parse_request.ts", RULES.config],
  ["config/mod.ts", "@/plugins/discover.ts", RULES.config],
  ["main.ts", "@/tests/fixtures/x.ts", "main.ts imports everything but tests/, bench/ and examples/"],
];

for (const [file, specifier, rule] of LAYERS) {
  Deno.test(`${file} must not import ${specifier}`, () => {
    const expected = `rowhouse/layers: ${file} cannot import "${specifier}": ${rule}`;
    assert.equal(complaint(file, `import "${specifier}";`), expected);
  });
}

Deno.test("a file outside of every layer is named", () => {
  const expected = 'rowhouse/layers: server.ts belongs to no layer, so it cannot import "./main.ts"';
  assert.equal(complaint("server.ts", 'import "./main.ts";'), expected);
});

for (
  const source of [
    'import x from "@/main.ts";',
    'import type { X } from "@/main.ts";',
    'export * from "@/main.ts";',
    'export { x } from "@/main.ts";',
    'export type { X } from "@/main.ts";',
    'const x = await import("@/main.ts");',
    "const x = await import(`@/main.ts`);",
    'let x: import("@/main.ts").X;',
  ]
) {
  Deno.test(`a forbidden import is found in: ${source}`, () => {
    assert.equal(
      complaint("core/http/app.ts", source),
      `rowhouse/layers: core/http/app.ts cannot import "@/main.ts": ${roomRule("http")}`,
    );
  });
}

const PACKAGES: readonly (readonly [file: string, specifier: string, message: string])[] = [
  ["formats/html/mod.ts", "hono/html", 'cannot import "hono": it belongs to core/'],
  [
    "core/http/app.ts",
    "better-sqlite3",
    'cannot import "better-sqlite3": it belongs to plugins/dialects/sqlite/',
  ],
  [
    "plugins/dialects/mysql/mod.ts",
    "better-sqlite3",
    'cannot import "better-sqlite3": it belongs to plugins/dialects/sqlite/',
  ],
  ["formats/json/mod.ts", "kysely", 'cannot import "kysely": it belongs to core/ and plugins/'],
  ["core/identity/users.ts", "yaml", 'cannot import "yaml": it belongs to config/'],
  ["config/mod.ts", "@node-rs/argon2", 'cannot import "@node-rs/argon2": it belongs to core/'],
  [
    "core/request/path_grammar.ts",
    "fast-check",
    'cannot import "fast-check": it belongs to tests/support/packages/',
  ],
  ["main.ts", "hono", 'cannot import "hono": it belongs to core/'],
  ["core/http/app.ts", "left-pad", 'imports "left-pad", which no folder owns'],
  ["core/http/app.ts", "constructor", 'imports "constructor", which no folder owns'],
];

for (const [file, specifier, message] of PACKAGES) {
  Deno.test(`${file} must not import the package ${specifier}`, () => {
    assert.equal(complaint(file, `import "${specifier}";`), `rowhouse/packages: ${file} ${message}`);
  });
}

for (const specifier of ["npm:hono@4.13.19", "jsr:@std/path", "https://example.org/x.ts", "/srv/x.ts"]) {
  Deno.test(`${specifier} is refused even in tests`, () => {
    const expected = `cannot import "${specifier}": only npm packages named in deno.json are pinned`;
    const file = "tests/unit/core/app_test.ts";
    assert.equal(complaint(file, `import "${specifier}";`), `rowhouse/packages: ${file} ${expected}`);
  });
}

for (
  const specifier of [
    "npm:ajv",
    "npm:ajv@8",
    "npm:ajv@^8.20.0",
    "npm:ajv@8.20.0x",
    "npm:hono@4.13.19",
    "npm:left-pad@1.3.0",
    "jsr:@std/path@1.0.0",
  ]
) {
  Deno.test(`${specifier} is refused in tests/support/packages/, too`, () => {
    const expected = `cannot import "${specifier}": only npm packages named in deno.json are pinned`;
    const file = "tests/support/packages/ajv.ts";
    assert.equal(complaint(file, `export * from "${specifier}";`), `rowhouse/packages: ${file} ${expected}`);
  });
}

Deno.test("an absolute file name, as deno lint gives it, is read from the project root", () => {
  const file = fileURLToPath(new URL("../../../core/model.ts", import.meta.url));
  assert.match(complaint(file, 'import "./app.ts";'), /^rowhouse\/layers: core\/model\.ts cannot import/);
});

Deno.test("a file outside of the project is left alone", () => {
  assert.equal(complaint("/elsewhere/core/model.ts", 'import "./app.ts";'), "ok");
});
