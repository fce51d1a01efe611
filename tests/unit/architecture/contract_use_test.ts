import assert from "node:assert/strict";
import { BUILT_IN_ROOT } from "@/plugins/discover.ts";
import { membersOf } from "@/tests/support/contract_members.ts";
import { contractTypes } from "@/tests/support/contract_types.ts";

/** The folders of the built-in plugins, and of the kit that some are made with. */
const FOLDERS = ["auth", "formats", "plugins/dialects", "plugins/caches", "plugins/kit"];

const EXAMPLE = "It is for other plugins, and an example uses it.";

/** Members that no built-in plugin names, by the reason. */
const UNUSED: readonly (readonly [reason: string, members: readonly string[]])[] = [
  [
    "The type is the core's own model, and the member is for the core: rights, reading the catalog, replicas, policies.",
    [
      "AuthPolicy.priority",
      "DatabaseDefinition.alternateKey",
      "DatabaseDefinition.autoconnect",
      "DatabaseDefinition.autoloadUser",
      "DatabaseDefinition.dbType",
      "DatabaseDefinition.excludedColumns",
      "DatabaseDefinition.excludedTables",
      "DatabaseDefinition.replicas",
      "DatabaseDefinition.sticky",
      "DefinitionRights.creator",
      "QueryDefinition.methods",
    ],
  ],
  [
    "The members of a summary are its answer; the core makes rows and charts of them.",
    [
      "ColumnSummary.frequent",
      "ColumnSummary.isCut",
      "ColumnSummary.nulls",
      "ColumnSummary.smallest",
      "SummaryGroups.isCut",
      "SummaryPoints.isCut",
    ],
  ],
  ["The core uses it, and methods may.", [
    "AuthSession.isLogin",
    "AuthSession.openedAt",
  ]],
  [EXAMPLE, ["AuthClient.isHttps", "AuthMethod.isAmbient", "AuthPeer.isTrustedProxy", "DialectHost.lend"]],
];

/** Members that no example and no template of `plugin new` names, by the reason and the type. */
const WITHOUT_EXAMPLE: readonly (readonly [reason: string, members: readonly MembersOfType[]])[] = [
  [
    "The type is the core's own model, and the member is for the core: rights, reading the catalog, replicas, policies.",
    [
      ["AuthPolicy", "enabled priority visible"],
      [
        "DatabaseDefinition",
        "alternateKey autoconnect dbType excludedColumns excludedTables replicas sticky",
      ],
      ["DatabaseMapping", "dbpass dbuser"],
      ["DefinitionRights", "creator execute"],
      ["QueryDefinition", "database methods"],
    ],
  ],
  [
    "It is for servers: hosts, logins, TLS, replicas. The examples are engines in the service's own process, and a dialect that is lent whole.",
    [
      ["Database", "lag"],
      ["DatabaseDefinition", "autoloadUser dbEncoding dbHost dbPort ssl"],
      ["Dialect", "hasLogins"],
      ["Engine", "hasLogins isAlive"],
      ["Login", "dbpass dbuser"],
    ],
  ],
  [
    "It is for engines that write: the built-in ones show it, MySQL with the kit.",
    [
      ["Column", "ignoresGiven loose"],
      ["Database", "refusedParameter"],
      ["DialectHost", "checksOnly ignoreDefaultFields workers"],
      ["Engine", "refusedParameter transactions"],
      ["EngineTransactions", "commit rollback"],
      ["Outcome", "firstIdentity identityStep"],
      ["SqlTraits", "defaulted fixesIdentity forUpdate insert materializesTarget ordersInserts"],
      ["SqlTraits", "respells spelled stored"],
      ["TableDescription", "joinsInserts sharesKey withoutRules withoutTransactions"],
    ],
  ],
  [
    "The kit does it for engines; the built-in dialects without kit show it.",
    [
      ["Database", "takesLooks usage"],
      ["DatabaseUsage", "ends idle waiting walBytes"],
      ["Outcome", "isOutdated"],
      ["PoolSettings", "acquireTimeout idleTimeout statementTimeout"],
      ["ReadOptions", "mostRows turn"],
      ["SingleWrite", "looks"],
      ["StatementText", "limitAt offsetAt verb"],
      ["Transaction", "commit rollback"],
      ["WrittenStatement", "verb"],
    ],
  ],
  [
    "The SQL of DuckDB and SQLite needs no word about it; its comment names the default and an engine that differs.",
    [
      ["CutValue", "beginning"],
      ["SqlLexis", "backslash executes hashComments nestedComments readable slices spacedDashes"],
      [
        "SqlTraits",
        "between comparable cut indexed nestedWith ordered paging plansLimits secondDecimals selectable special summed",
      ],
    ],
  ],
  [
    "It is for dialects that others borrow, or whose files only some directories may have: PostgreSQL and SQLite show it.",
    [["Dialect", "directories requireFileIn variant"], ["DialectHost", "echo"]],
  ],
  [
    "It is for logins at providers with sessions and documents of their own: SAML and OpenID Connect show it.",
    [
      ["AuthHost", "keepDocument logOut seal unseal"],
      ["AuthRoute", "maxBody"],
      ["AuthSessions", "endFor"],
      ["KeptDocument", "renew"],
      ["LoggedOut", "onward"],
      ["RouteRequest", "wantsPage"],
      ["SessionOptions", "endsAt subject"],
    ],
  ],
  [
    "It is for the service's own logins: the form, Basic, API keys in addresses, the session cookie. A second method like them is no use.",
    [
      ["AuthMethod", "opensSession queryParameters"],
      ["AuthRequest", "credentials"],
      ["AuthSession", "isLogin openedAt"],
      ["AuthSessions", "resume"],
      ["AuthThrottle", "beginForm beginPassword"],
    ],
  ],
  [
    "It is for browsers: a text has neither files nor scripts.",
    [
      ["Asset", "contentType"],
      ["FilterChoice", "hasOffers instead relation"],
      ["Format", "assets"],
      ["FormatHost", "templates"],
      ["FormField", "autocomplete"],
      ["Page", "asset origin ui wholeLimit"],
      ["PageAction", "isBeside"],
      ["PageButton", "isDraft"],
      ["PageField", "autocomplete"],
      ["PageFilter", "change"],
      ["PageForm", "hasFile isRow"],
      ["PageList", "changing keyless"],
      ["PageMatrix", "narrow unless"],
      ["PageRun", "again"],
      ["PageSection", "folded"],
      ["PageSql", "database"],
      ["PageTable", "narrow"],
      ["PageView", "refresh"],
    ],
  ],
  [
    "It is for formats that have no types, declare their charset, nest records, or share their schemas: CSV, XML and XSD show it.",
    [
      ["CellInput", "csvNullStr"],
      ["Format", "accepts isAmbiguous schemaContentType schemasOf utcSuffix"],
      ["ReadInput", "csvNullStr"],
      ["ShapeRelation", "expanded"],
      ["WriteOptions", "charset contentType csvNullStr"],
    ],
  ],
  [
    "The members of a summary are its answer; the core makes rows and charts of them.",
    [
      ["ColumnSummary", "distinct frequent isCut largest smallest"],
      ["Summary", "groups points"],
      ["SummaryGroups", "isCut"],
      ["SummaryPoints", "isCut"],
    ],
  ],
  ["The examples have settings of the other types.", [["SettingValue", "paths"]]],
];

type MembersOfType = readonly [type: string, names: string];

async function* sourcesIn(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${BUILT_IN_ROOT}/${folder}`)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourcesIn(path);
    else if (isSource(name)) yield await Deno.readTextFile(`${BUILT_IN_ROOT}/${path}`);
  }
}

/** Tests use members to check a plugin; the types that `plugin new` writes name every member. */
function isSource(name: string): boolean {
  return /\.tsx?(\.txt)?$/.test(name) && !/_test\.|^contract\.d\./.test(name);
}

/** The words of a source outside of comments. */
function wordsOf(source: string): readonly string[] {
  return source.replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/ .*$/gm, "").match(/\w+/g) ?? [];
}

async function wordsIn(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  for (const folder of folders) {
    for await (const source of sourcesIn(folder)) for (const word of wordsOf(source)) words.add(word);
  }
  return words;
}

function keysOf([type, names]: MembersOfType): readonly string[] {
  return names.split(" ").map((name) => `${type}.${name}`);
}

/** The members that none of the words is. */
function notAmong(members: readonly string[], words: ReadonlySet<string>): readonly string[] {
  return members.filter((key) => !words.has(key.split(".")[1] ?? "")).toSorted();
}

Deno.test("every member of the contract is named by a built-in plugin, except those of the list", async () => {
  const members = [...membersOf(await contractTypes()).keys()].filter((key) => key.includes("."));
  assert.ok(members.length > 500, `${members.length} members`);
  const listed = UNUSED.flatMap(([, names]) => names).toSorted();
  assert.deepEqual(notAmong(members, await wordsIn(FOLDERS)), listed);
});

Deno.test("every member of the contract is named by an example or a template, except those of the list", async () => {
  const members = [...membersOf(await contractTypes()).keys()].filter((key) => key.includes("."));
  const listed = WITHOUT_EXAMPLE.flatMap(([, types]) => types.flatMap(keysOf)).toSorted();
  assert.deepEqual(notAmong(members, await wordsIn(["examples", "plugins/templates"])), listed);
});

Deno.test("the members that are for other plugins are named by an example", async () => {
  const members = UNUSED.flatMap(([reason, names]) => reason === EXAMPLE ? names : []);
  assert.ok(members.length > 0);
  assert.deepEqual(notAmong(members, await wordsIn(["examples"])), []);
});

Deno.test("a word in a comment is no use of a member", () => {
  assert.deepEqual(wordsOf("/** lag */\nconst plan = 1; // usage\n// idle\n"), ["const", "plan", "1"]);
});
