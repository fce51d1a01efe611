import assert from "node:assert/strict";
import { CONTRACT } from "@/plugins/contract.ts";
import { differences, membersOf } from "@/tests/support/contract_members.ts";
import { SNAPSHOTS } from "@/tests/support/contract_snapshot.ts";
import { contractTypes } from "@/tests/support/contract_types.ts";

const LIST = new URL("../../../docs/contract-changes.md", import.meta.url);

/** The newest snapshot, and its version. */
async function newest(): Promise<
  { readonly version: number; readonly members: ReadonlyMap<string, string> }
> {
  const version = Math.max(...[...Deno.readDirSync(SNAPSHOTS)].map(({ name }) => Number.parseInt(name)));
  const text = await Deno.readTextFile(new URL(`${version}.json`, SNAPSHOTS));
  return { version, members: new Map(Object.entries<string>(JSON.parse(text))) };
}

/** The lines about one version. */
async function listed(version: number): Promise<string> {
  const text = await Deno.readTextFile(LIST);
  return text.split(/^## /m).find((part) => part.startsWith(`Contract ${version}\n`)) ?? "";
}

Deno.test("every difference to the last snapshot of the contract has a line in docs/contract-changes.md", async () => {
  const { members } = await newest();
  const { added, changed } = differences(members, membersOf(await contractTypes()));
  const lines = await listed(CONTRACT);
  const silent = [...added, ...changed].filter((name) => {
    const [type = ""] = name.split(".");
    // A new type needs one line for all of its members.
    const isNew = added.includes(type) && name !== type;
    return !isNew && !lines.includes(`\`${name}\``);
  });
  assert.deepEqual(silent, [], `docs/contract-changes.md, Contract ${CONTRACT}: add lines about these`);
});

Deno.test("a version of the contract only grows: what is removed or changed needs the next number", async () => {
  const { version, members } = await newest();
  assert.ok(
    version <= CONTRACT && version >= CONTRACT - 1,
    "the snapshot is that of this version or the last one",
  );
  const { changed } = differences(members, membersOf(await contractTypes()));
  if (version === CONTRACT) assert.deepEqual(changed, [], "raise CONTRACT, and keep the snapshot");
});

Deno.test("members that were added, removed or changed are found, and comments are none", () => {
  const before = membersOf(
    "/** A. */\nexport interface A {\n  readonly b: string;\n  c?(): { d: 1; e: 2 };\n}\n",
  );
  const after = membersOf(
    "/** B. */\nexport interface A {\n  /** C. */\n  readonly b:\n    string;\n  c?(): { d: 1 };\n  f: 1;\n}\ninterface X {\n}\n",
  );
  assert.deepEqual(differences(before, after), { added: ["A.f", "X"], changed: ["A.c"] });
});
