import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { editEntry, type Members } from "@/config/definitions.ts";
import { expandAll } from "@/config/expand.ts";
import { USER_MEMBERS } from "@/config/users.ts";
import { editYaml, parseYaml } from "@/config/yaml.ts";

const TEXTS = ["", "# only a comment\n", "{}\n", "ann:\n  name: ${ANN} # hers\n", "{ann: {name: x}}\n"];

function written(text: string, members: Members): string {
  const edited = editYaml(
    text,
    (document) => editEntry(document, { id: "bob", members, table: {}, environment: {} }),
  );
  assert.deepEqual(edited.faults, []);
  return edited.text;
}

/** The data of a text, with references replaced. */
function read(text: string, environment: Readonly<Record<string, string>>): unknown {
  const complaints: never[] = [];
  const { value, faults } = parseYaml(text);
  assert.deepEqual(faults, []);
  return expandAll(value, { file: "", key: "", complaints }, environment);
}

const special = fc.constantFrom(
  "${HOME}",
  "$${",
  "$",
  "{",
  "}",
  "\n",
  "\r\n",
  "\t",
  "\0",
  "\u0085",
  "\u2028",
  "\ufeff",
);
const anyText = fc.array(fc.oneof(special, fc.string({ unit: "binary" })), { maxLength: 6 }).map((parts) =>
  parts.join("")
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anyText,
    fc.boolean(),
    fc.integer(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("__proto__", "*", "true", "1")),
      tie("value"),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

Deno.test("whatever is written is read as it was sent, whatever the environment holds", () => {
  fc.assert(
    fc.property(fc.constantFrom(...TEXTS), anyValue, anyValue, (text, first, second) => {
      const environment = { HOME: "/secret", ANN: "Ann" };
      const once = written(text, { member: first });
      const entry = (from: string) => (read(from, environment) as Record<string, unknown>)["bob"];
      assert.deepEqual(entry(once), { member: first });
      assert.deepEqual(entry(written(once, { member: second })), { member: second }, "changed");
      assert.deepEqual(written(once, { member: first }), once, "nothing to change");
    }),
    { numRuns: 500 },
  );
});

Deno.test("a text in double quotes keeps a line of one space, whether it is written or only beside what is", () => {
  const sql = "SELECT Name\n \nFROM Customer WHERE Country = :country";
  for (const text of ['bob: { sql: "SELECT 1" }\n', `bob:\n  sql: ${JSON.stringify(sql)}\n`]) {
    const edited = written(text, { sql, desc: "Customers" });
    assert.deepEqual(read(edited, {}), { bob: { sql, desc: "Customers" } }, text);
  }
});

Deno.test("an entry of a file that had none stands on lines of its own, so that others can be added by hand", () => {
  const text = written("{}\n\n# ann:\n#   name: Ann\n", { name: "Bob" });
  assert.deepEqual(read(`${text}carl:\n  name: Carl\n`, {}), {
    bob: { name: "Bob" },
    carl: { name: "Carl" },
  });
});

Deno.test("what does not change keeps its comments, order and references", () => {
  const text =
    "bob:\n  # who\n  name: ${NAME} # called\n  databases:\n    B: { dbuser: b } # second\n    A:\n" +
    "      dbuser: ${A} # first\n";
  const change = (members: Members) =>
    editYaml(text, (document) =>
      editEntry(document, {
        id: "bob",
        members,
        table: {},
        environment: { NAME: "Bob", A: "a" },
      })).text;
  assert.equal(change({ name: "Bob", databases: { A: { dbuser: "a" }, B: { dbuser: "b" } } }), text);
  assert.equal(
    change({ name: "Rob", databases: { A: { dbuser: "a", access: {} }, B: { dbuser: "c" } } }),
    text.replace("${NAME}", "Rob").replace("dbuser: b", "dbuser: c") + "      access: {}\n",
  );
  assert.equal(
    change({ databases: { A: { dbuser: "a" } } }),
    text.replace("    B: { dbuser: b } # second\n", ""),
  );
});

Deno.test("a secret that is not sent is kept for the same login only", () => {
  const text = "bob:\n  databases:\n    A:\n      dbuser: a\n      dbpass: ${SECRET}\n";
  const change = (mapping: unknown) =>
    editYaml(text, (document) =>
      editEntry(document, {
        id: "bob",
        members: { databases: { A: mapping } },
        table: USER_MEMBERS,
        environment: { SECRET: "s" },
      })).text;
  assert.equal(change({ dbuser: "a", access: {} }), `${text}      access: {}\n`);
  assert.equal(change({ dbuser: "b" }), "bob:\n  databases:\n    A:\n      dbuser: b\n");
  assert.equal(change({ dbuser: "a", dbpass: null }), "bob:\n  databases:\n    A:\n      dbuser: a\n");
  assert.equal(change({ dbuser: "a", dbpass: "new" }), text.replace("${SECRET}", "new"));
});

Deno.test("attack: the time of a change grows with the length of the entry only, however many empty lines it has", () => {
  const text = `# first\na:\n  name: x\n  sql: |-\n    SELECT 1\n${
    "\n".repeat(100_000)
  }    -- x\n\n\nb: {}\n`;
  const began = performance.now();
  const edited = editYaml(text, (document) => document.setIn(["a", "name"], "y"), "a");
  assert.ok(performance.now() - began < 3_000);
  assert.equal(edited.text, text.replace("name: x", "name: y"));
});
