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
      "ColumnSummary.smallest",
      "SummaryGroups.isCut",
      "SummaryPoints.isCut",
    ],
  ],
  ["The core uses it, and methods may.", [
    "AuthSession.isLogin",
    "AuthSession.openedAt",
    "AuthThrottle.countFailure",
  ]],
  [EXAMPLE, ["AuthClient.isHttps", "AuthPeer.isTrustedProxy", "DialectHost.lend"]],
];

async function* sourcesIn(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(`${BUILT_IN_ROOT}/${folder}`)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourcesIn(path);
    else if (/\.tsx?$/.test(name)) yield await Deno.readTextFile(`${BUILT_IN_ROOT}/${path}`);
  }
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

Deno.test("the members that are for other plugins are named by an example", async () => {
  const members = UNUSED.flatMap(([reason, names]) => reason === EXAMPLE ? names : []);
  assert.ok(members.length > 0);
  assert.deepEqual(notAmong(members, await wordsIn(["examples"])), []);
});

Deno.test("a word in a comment is no use of a member", () => {
  assert.deepEqual(wordsOf("/** lag */\nconst plan = 1; // usage\n// idle\n"), ["const", "plan", "1"]);
});
