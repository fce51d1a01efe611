/** @module Files of entries: a change leaves all other entries as they are, byte by byte. */

import assert from "node:assert/strict";
import { editYaml, parseYaml } from "@/config/yaml.ts";
import { splitEntries } from "@/config/yaml_entries.ts";

/** Long enough to be split. */
function usersText(count = 700): string {
  const users = Array.from({ length: count }, (_, at) => {
    return `\n# the user ${at}\nuser${at}:\n  name:   "User ${at}"   # spelled so\n  view: [admin,  other]\n`;
  });
  return `# Users\n\nadmin:\n  password: "*" # & more\n${users.join("")}\n# the end\n`;
}

const set = (id: string, value: unknown) => (text: string) =>
  editYaml(text, (document) => document.setIn([id, "name"], value), id).text;
const remove = (id: string) => (text: string) =>
  editYaml(text, (document) => document.deleteIn([id]), id).text;

Deno.test("a change of one entry leaves every other one as it is", () => {
  const text = usersText();
  const own = '# the user 5\nuser5:\n  name:   "User 5"   # spelled so\n  view: [admin,  other]\n';
  const changed = own.replace(/name.*#/, 'name: "Ada" #').replace("[admin,  other]", "[ admin, other ]");
  assert.ok(text.includes(own));
  assert.equal(set("user5", "Ada")(text), text.replace(own, changed));
});

Deno.test("an entry is removed with its comment, and a new one stands at the end", () => {
  const text = usersText();
  const without = remove("user5")(text);
  assert.deepEqual(Object.keys(parseYaml(without).value as object).length, 700);
  assert.ok(!without.includes("# the user 5\n"));
  assert.equal(set("zoe", "Zoe")(text), `${text}zoe:\n  name: Zoe\n`);
  assert.equal(set("zoe", "Zoe")(text.trimEnd()), `${text.trimEnd()}\nzoe:\n  name: Zoe\n`);
});

const SHORT = `# Users

# everybody
public:
  databases: {Demo:   {access: {"*": [read]}}}

admin:   # boss
  databases: {Demo: {}}

# ann:
#   name: Ann

# Robert
bob:
  view: [admin,  bob]
# later
# cleo: {}
`;

const DELETED: readonly (readonly [id: string, lines: string])[] = [
  ["public", '# everybody\npublic:\n  databases: {Demo:   {access: {"*": [read]}}}\n\n'],
  ["admin", "admin:   # boss\n  databases: {Demo: {}}\n\n"],
  ["bob", "# Robert\nbob:\n  view: [admin,  bob]\n"],
];

for (const [id, lines] of DELETED) {
  Deno.test(`${id} leaves a short file with its comment, and comments about others stay`, () => {
    assert.ok(SHORT.includes(lines));
    assert.equal(remove(id)(SHORT), SHORT.replace(lines, ""));
  });
}

Deno.test("a change of one entry leaves the others of a short file as they are spelled", () => {
  const own = '# everybody\npublic:\n  databases: { Demo: { access: { "*": [ read ] } } }\n  name: Any\n\n';
  assert.equal(set("public", "Any")(SHORT), SHORT.replace(DELETED[0]?.[1] ?? "", own));
  assert.equal(set("zoe", "Zoe")(SHORT), `${SHORT}zoe:\n  name: Zoe\n`);
});

Deno.test("a file may begin with an empty line, or one that has only the sign of a comment", () => {
  for (const head of ["", "\n", "#\n", "\n#\n", "\n# Ann\n"]) {
    const text = `${head}ann: {}\nbob: {}\n`;
    assert.equal(set("ann", "Ann")(text), `${head}ann: { name: Ann }\nbob: {}\n`);
    assert.equal(remove("ann")(text), `${head.startsWith("\n") ? "\n" : ""}bob: {}\n`);
  }
});

Deno.test("a change that sets what is there already leaves the text as it is", () => {
  const spelled = "ann: {name:  Ann,   view: [admin]}   # spelled so";
  for (const text of [spelled, `${spelled}\n\n`, `bob: &bob {}\n${spelled}\n`]) {
    assert.equal(set("ann", "Ann")(text), text);
  }
});

Deno.test("ids may stand in quotes, as those must that are words of YAML", () => {
  const others = `"ann":   {}\n'bob':   {}\n`;
  const added = set("null", "Nil")(others);
  assert.equal(added, `${others}"null":\n  name: Nil\n`);
  assert.equal(set("ann", "Ann")(added), added.replace("   {}", " { name: Ann }"));
  assert.equal(remove("null")(added), others);
});

Deno.test("unchanged entries are the same objects after a change", () => {
  const text = usersText();
  const before = parseYaml(text).value as Record<string, unknown>;
  const after = parseYaml(set("user5", "Ada")(text)).value as Record<string, unknown>;
  assert.equal(after["user6"], before["user6"]);
  assert.deepEqual(after["user5"], { name: "Ada", view: ["admin", "other"] });
  assert.deepEqual(before["user5"], { name: "User 5", view: ["admin", "other"] });
});

const ENTANGLED: Readonly<Record<string, (text: string) => string>> = {
  "an anchor": (text) =>
    text.replace("user7:", "user7: &seven").replace("user8:\n", "user8:\n  <<: *seven\n"),
  "a key in two kinds of quotes": (text) => text.replace("user7:", "\"user7':"),
  "an id twice": (text) => text.replace("user7:", "user8:"),
  "a document's end": (text) => text.replace("user7:", "---\nuser7:"),
  "a tab": (text) => text.replace("user7:", "user7:\t"),
  "a text over several lines": (text) => text.replace('"User 7"', '"User\n7"'),
  "indented entries": (text) => text.replace(/^(?=.)/gm, " "),
  "a key that is no text": (text) => text.replace("user7:", "null:"),
};

for (const [what, change] of Object.entries(ENTANGLED)) {
  Deno.test(`a file with ${what} is read as a whole`, () => {
    const text = change(usersText());
    assert.notEqual(text, usersText());
    assert.equal(splitEntries(text), undefined);
  });
}

Deno.test("attack: a text becomes no entry behind a character that ends a line for JavaScript alone", () => {
  for (const end of ["\u2028", "\u2029"]) {
    const name = `a\n${end}mallory: {userdef: [create]}`;
    const text = set("ann", name)(usersText());
    assert.equal(splitEntries(text)?.entries.at(-1)?.id, "ann");
    assert.deepEqual((parseYaml(text).value as Record<string, unknown>)["ann"], { name });
    assert.deepEqual(parseYaml(remove("ann")(text)).value, parseYaml(usersText()).value);
  }
});

Deno.test("a mistake in a long file is found at its line", () => {
  const text = usersText().replace('  name:   "User 7"', "  name: [");
  const { faults } = parseYaml(text);
  assert.match(faults.join("\n"), /^Line 4[34],/);
});

Deno.test("every entry reads as it does within its file", () => {
  const blocks = [
    "a: 1",
    "b: |+\n  text\n\n\n",
    "c:\n- 1\n- 2",
    "d: {x: 1,\n  y: 2}",
    "e:",
    "f: plain\n  text",
    "g: ''",
  ];
  const text = `${usersText()}\n${blocks.join("\n# between\n")}\n`;
  const short = parseYaml(`${blocks.join("\n# between\n")}\n`);
  const { value, faults } = parseYaml(text);
  assert.deepEqual([faults, short.faults], [[], []]);
  const found = value as Record<string, unknown>;
  assert.deepEqual(
    Object.fromEntries(Object.keys(short.value as object).map((key) => [key, found[key]])),
    short.value,
  );
});
