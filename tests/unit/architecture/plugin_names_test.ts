import assert from "node:assert/strict";
import { BUILT_IN_ROOT, discoverPlugins } from "@/plugins/discover.ts";

/** Names of built-in plugins that core/ and config/ may have as texts, by file, with the reason. */
const ALLOWED: readonly (readonly [reason: string, names: Readonly<Record<string, readonly string[]>>])[] = [
  [
    "A word of its own: a header, a member of a user, a type of values, a form of lines, a beginning of content types.",
    {
      "config/entries.ts": ["xml"],
      "config/set_password.ts": ["apikey"],
      "config/users.ts": ["apikey"],
      "core/definitions/prepare_definition.ts": ["apikey"],
      "core/http/forms/serve_form.ts": ["json"],
      "core/identity/account_changes.ts": ["apikey"],
      "core/identity/definition_rights.ts": ["apikey"],
      "core/identity/sessions/cookies.ts": ["cookie"],
      "core/identity/sessions/secret.ts": ["cookie"],
      "core/login/open_entrance.ts": ["cookie"],
      "core/model.ts": ["json"],
      "core/pages/records/record_fields.ts": ["json"],
      "core/pages/definitions/api_key.ts": ["apikey"],
      "core/request/read_value.ts": ["json"],
      "core/start/create_service.ts": ["xml"],
      "core/storage/log.ts": ["json"],
      "core/summaries/ranges.ts": ["json"],
      "core/tables/convert_value.ts": ["json"],
    },
  ],
  [
    "JSON is the language of the API: its documents refer to it, OpenAPI is written in it, and it is the usual format.",
    {
      "core/definitions/documents.ts": ["json"],
      "core/openapi/database.ts": ["json"],
      "core/openapi/mod.ts": ["json"],
      "core/openapi/schemas.ts": ["json"],
      "core/pages/api_page.ts": ["json"],
      "core/request/formats.ts": ["json"],
      "core/start/set_up_plugins.ts": ["json"],
      "core/tables/plan_read.ts": ["json"],
    },
  ],
  [
    "The specification: a licence names methods, a version is text, pages are HTML, memcached_server is a setting.",
    {
      "config/licence_wishes.ts": ["jwt", "saml"],
      "core/identity/licence.ts": ["jwt", "saml"],
      "core/openapi/service.ts": ["txt"],
      "core/resources.ts": ["txt"],
      "core/respond/page.ts": ["html"],
      "config/setting_types.ts": ["memcached"],
      "config/shared_caches.ts": ["memcached"],
    },
  ],
  [
    "Defaults of settings and their names, and sentences of the documentation.",
    {
      "config/settings.ts": ["apikey", "cookie", "json", "redis"],
      "config/databases.ts": ["mssql", "mysql", "postgresql", "sqlite"],
    },
  ],
];

const NAMES = [...new Set(discoverPlugins([BUILT_IN_ROOT]).map(({ name }) => name))];
const LITERAL = new RegExp(`["'\`](${NAMES.join("|")})(?:(?:_sdb)?\\.[a-z_]+)?["'\`]`, "g");

/** Names of plugins among the texts of a source, without comments and imports. */
function namesIn(source: string): readonly string[] {
  const code = source.replace(/^\s*(?:\*|\/\*|\/\/|import ).*$/gm, "");
  return [...new Set([...code.matchAll(LITERAL)].map(([, name = ""]) => name))].toSorted();
}

async function* sourcesIn(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${BUILT_IN_ROOT}/${folder}`)) {
    if (isDirectory) yield* sourcesIn(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

Deno.test("core/ and config/ name no plugin but those of the list", async () => {
  const found: Record<string, readonly string[]> = {};
  for (const folder of ["core", "config"]) {
    for await (const path of sourcesIn(folder)) {
      const names = namesIn(await Deno.readTextFile(`${BUILT_IN_ROOT}/${path}`));
      if (names.length > 0) found[path] = names;
    }
  }
  assert.deepEqual(found, Object.assign({}, ...ALLOWED.map(([, names]) => names)));
});

Deno.test("a plugin that is named as a text or in a setting is found, one in a comment is not", () => {
  assert.deepEqual(namesIn('if (kind === "sqlite") read("json_sdb.indent");\n// "mysql"\n * "csv"\n'), [
    "json",
    "sqlite",
  ]);
});
