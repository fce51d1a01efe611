import assert from "node:assert/strict";
import { formatComplaint } from "@/config/configuration.ts";
import { listSettings, readOptions, readSection, strayKeys } from "@/config/mod.ts";
import type { Declaring } from "@/config/plugin_settings.ts";
import type { PluginSettings } from "@/plugins/contract.ts";
import { load } from "./directory.ts";

const TABLE: PluginSettings = {
  title: { type: "text", sentence: "A text." },
  style: { type: "text", values: ["flow", "Block"], default: "flow", sentence: "A word." },
  tag: { type: "text", pattern: "[a-z]+", expected: "small letters", sentence: "A pattern." },
  shown: { type: "boolean", default: true, sentence: "A boolean." },
  width: { type: "integer", least: 1, most: 10, default: 4, sentence: "An integer." },
  any: { type: "integer", sentence: "Any integer." },
  ratio: { type: "number", least: 0, default: 0.5, sentence: "A number." },
  file: { type: "path", sentence: "A path." },
  names: { type: "texts", pattern: "[a-z]+", expected: "small letters", sentence: "Texts." },
  places: { type: "paths", sentence: "Paths." },
  token: { type: "text", pattern: ".{5,}", expected: "5 characters", secret: true, sentence: "A secret." },
};

const DEFAULTS = { style: "flow", shown: true, width: 4, ratio: 0.5 };

function declaring(changes: Partial<Declaring> = {}): Declaring {
  return { kind: "format", name: "yaml", contract: 2, settings: TABLE, ...changes };
}

/** What a plugin gets from these lines of service.ini. */
function read(lines: string, plugin = declaring(), environment: Readonly<Record<string, string>> = {}) {
  const configuration = load({ "service.ini": `[service]\n${lines}\n` }, environment);
  const { section, complaints } = readSection(plugin, configuration);
  const told = complaints.map(formatComplaint).map((text) =>
    text.replace(`${configuration.directories.config}/`, "")
  );
  return { section, told, directory: configuration.directories.config };
}

Deno.test("a plugin without configured settings gets its defaults, and nothing for the others", () => {
  const { section, told } = read("");
  assert.deepEqual([section, told], [DEFAULTS, []]);
});

Deno.test("values of service.ini have the types that the plugin declares", () => {
  const { section, told, directory } = read(
    [
      ...["title = ${T}", "style = BLOCK", "tag = abc", "shown = off", "width = 10", "any = -3"],
      ...["ratio = 1.5e2", "file = a/b", "names = x, y", "places = p,/q", "token = hush-hush"],
      "stream_by_default = True",
    ].map((line) => `yaml_sdb.${line}`).join("\n"),
    declaring(),
    { T: "hello" },
  );
  assert.deepEqual(told, []);
  assert.deepEqual(section, {
    title: "hello",
    style: "Block",
    tag: "abc",
    shown: false,
    width: 10,
    any: -3,
    ratio: 150,
    file: `${directory}/a/b`,
    names: ["x", "y"],
    places: [`${directory}/p`, "/q"],
    token: "hush-hush",
  });
});

const WRONG: readonly (readonly [line: string, complaint: string])[] = [
  ["style = odd", 'style: Expected one of flow, Block, found "odd"'],
  ["tag = A1", 'tag: Expected small letters, found "A1"'],
  ["tag = abc1abc", 'tag: Expected small letters, found "abc1abc"'],
  ["shown = maybe", 'shown: Expected True or False, found "maybe"'],
  ["width = 11", 'width: Expected an integer from 1 to 10, found "11"'],
  ["any = 1.5", 'any: Expected an integer, found "1.5"'],
  ["ratio = -1", 'ratio: Expected a number from 0, found "-1"'],
  [
    "names = a,a",
    'names: Expected different texts, each small letters: a list, or with commas between them, found "a,a"',
  ],
  ["token = tiny", "token: Expected 5 characters, found another value"],
  ["widht = 3", 'widht: Unknown setting: did you mean "yaml_sdb.width"?'],
  ["constructor = 3", "constructor: Unknown setting: expected one of "],
];

for (const [line, complaint] of WRONG) {
  Deno.test(`a plugin is not given ${line}`, () => {
    const { told: [first = "", ...others] } = read(`yaml_sdb.${line}`);
    assert.deepEqual(others, []);
    assert.ok(first.startsWith(`service.ini: yaml_sdb.${complaint}`), first);
  });
}

Deno.test("an empty text unsets a setting, and a required one is missed", () => {
  assert.deepEqual(read("yaml_sdb.width =").section, DEFAULTS);
  const settings = { title: { type: "text", required: true, sentence: "A text." } } as const;
  assert.deepEqual(read("yaml_sdb.title =", declaring({ settings })).told, [
    "service.ini: yaml_sdb.title: Is required, found nothing",
  ]);
});

Deno.test("an empty secret is a mistake: it was to protect something", () => {
  assert.deepEqual(read("yaml_sdb.token =").told, [
    "service.ini: yaml_sdb.token: Expected a secret, found nothing",
  ]);
});

Deno.test("a plugin that declares nothing has no settings, one of contract 1 any, as they are written", () => {
  const { settings: _, ...silent } = declaring();
  assert.deepEqual(read("yaml_sdb.flow = True", silent).told, [
    "service.ini: yaml_sdb.flow: Unknown setting: there is none",
  ]);
  const old = read("yaml_sdb.flow = True\nyaml_sdb.stream_by_default = True", { ...silent, contract: 1 });
  assert.deepEqual([old.section, old.told], [{ flow: "True" }, []]);
});

Deno.test("settings of a dialect begin with its name", () => {
  const { section, told } = read(
    "duck.width = 3\nyaml_sdb.width = 5",
    declaring({ kind: "dialect", name: "duck" }),
  );
  assert.deepEqual([section, told], [{ ...DEFAULTS, width: 3 }, []]);
});

for (
  const [kind, name, prefix] of [["dialect", "session", "session."], ["format", "orm", "orm_sdb."]] as const
) {
  Deno.test(`a ${kind} with settings is not called ${name}, as those of the service are`, () => {
    const complaint = `service.ini: The ${kind} "${name}" needs another name: ` +
      `keys that begin with "${prefix}" are settings of the service`;
    assert.deepEqual(read("", declaring({ kind, name })).told, [complaint]);
    assert.deepEqual(read("", declaring({ kind, name, settings: {} })).told, []);
  });
}

Deno.test("a method's block is checked like the other settings, and has values of YAML", () => {
  const method = (block: string) => {
    const configuration = load({
      "auth.cfg": `authentication_policies: {m: {enabled: true, priority: 1, ${block}}}`,
    });
    const settings: PluginSettings = { ...TABLE, more: { type: "mapping", sentence: "A block." } };
    const { section, complaints } = readSection(
      { kind: "auth", name: "m", contract: 2, settings },
      configuration,
    );
    return { section, told: complaints.map(({ key, message }) => `${key}: ${message}`) };
  };
  const right = method(
    'gui: {visible: false}, shown: "false", width: 2, names: [a, b], more: {x: 1}, tag: ~',
  );
  assert.deepEqual(right.told, []);
  assert.deepEqual(right.section, { ...DEFAULTS, shown: false, width: 2, names: ["a", "b"], more: { x: 1 } });
  assert.deepEqual(method("title: 3, width: 12, token: 12345678, heder: x, more: [1]").told, [
    "authentication_policies.m.heder: Unknown setting: expected one of enabled, priority, gui, gui.visible, " +
    "title, style, tag, shown, width, any, ratio, file, names, places, token, more",
    "authentication_policies.m.title: Expected text, found 3",
    "authentication_policies.m.width: Expected an integer from 1 to 10, found 12",
    "authentication_policies.m.token: Expected 5 characters, found another value",
    "authentication_policies.m.more: Expected a mapping, found a list",
  ]);
  assert.deepEqual(method("prioriti: 2").told, [
    'authentication_policies.m.prioriti: Unknown setting: did you mean "priority"?',
  ]);
});

Deno.test("options of a database are checked by the table of its dialect", () => {
  const table = { width: TABLE["width"], file: TABLE["file"] } as PluginSettings;
  assert.deepEqual(readOptions(table, { width: "3", file: "x" }, "/etc").section, {
    width: 3,
    file: "/etc/x",
  });
  const { complaints } = readOptions(table, { widht: 3, width: [] }, "/etc");
  assert.deepEqual(complaints.map(({ key, message }) => `${key}: ${message}`), [
    'options.widht: Unknown setting: did you mean "width"?',
    "options.width: Expected an integer from 1 to 10, found a list",
  ]);
});

const TABLES: readonly (readonly [what: string, table: unknown, complaint: RegExp])[] = [
  ["no object", 3, /declares no settings: they must be an object/],
  ["a key with a blank", { "a b": TABLE["title"] }, /declares a setting "a b" that has no name/],
  ["no object as setting", { a: "text" }, /"a" that is no object/],
  ["an unknown type", { a: { type: "date", sentence: "A." } }, /"a" that has no type of text, boolean/],
  ["a type of Object.prototype", { a: { type: "toString", sentence: "A." } }, /"a" that has no type of/],
  ["no sentence", { a: { type: "text" } }, /"a" that has no sentence/],
  [
    "a wrong default",
    { a: { type: "integer", default: "x", sentence: "A." } },
    /"a" that has a default that is not an integer/,
  ],
  [
    "a wrong pattern",
    { a: { type: "text", pattern: "(", sentence: "A." } },
    /"a" that has a pattern that is no regular/,
  ],
  [
    "a mapping in service.ini",
    { a: { type: "mapping", sentence: "A." } },
    /"a" that is a mapping, which service.ini/,
  ],
  [
    "words that are none",
    { a: { type: "text", values: [1], sentence: "A text." } },
    /values that are no list of texts/,
  ],
  [
    "words that are no list",
    { a: { type: "texts", values: 5, sentence: "Texts." } },
    /values that are no list of texts/,
  ],
  [
    "a key of the service",
    { stream_by_default: TABLE["title"] },
    /"stream_by_default" that the service itself reads/,
  ],
];

for (const [what, table, complaint] of TABLES) {
  Deno.test(`a table of settings with ${what} is told to its author`, () => {
    const { section, told } = read("", declaring({ settings: table as PluginSettings }));
    assert.deepEqual(section, {});
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /^service.ini: The plugin "yaml" /);
    assert.match(told[0] ?? "", complaint);
  });
}

Deno.test("keys of no plugin are complaints, those of a plugin that is not enabled are warnings", () => {
  const configuration = load({
    "service.ini":
      "[service]\nyaml_sdb.width = 1\nxml_sdb.href = False\nsqlit.directories = /x\nsesion.type = file\nqqq.x = 1\nduck.size = 1\n",
  });
  const sqlite = {
    kind: "dialect",
    name: "sqlite",
    contract: 2,
    settings: { directories: TABLE["places"] },
  } as Declaring;
  const { complaints, warnings } = strayKeys(configuration, {
    enabled: [declaring(), sqlite],
    found: [{ kind: "format", name: "xml" }, { kind: "cache", name: "duck" }],
  });
  assert.deepEqual(complaints.map(({ key, message }) => `${key}: ${message}`), [
    'sqlit.directories: Unknown setting: did you mean "sqlite.directories"?',
    'sesion.type: Unknown setting: did you mean "session.type"?',
    "qqq.x: Unknown setting: there is no plugin of this name",
  ]);
  assert.deepEqual(warnings.map(({ key, message }) => `${key}: ${message}`), [
    "xml_sdb.href: Without effect: its plugin is not enabled",
    "duck.size: Without effect: its plugin is not enabled",
  ]);
});

Deno.test("lists of settings have no secrets, no mappings and no values of undeclared keys", () => {
  const configuration = load({
    "auth.cfg":
      "authentication_policies: {m: {enabled: true, priority: 1, token: hush-hush, title: T, more: {k: hush}, odd: hush}}",
  });
  const settings: PluginSettings = {
    title: { type: "text", sentence: "A text." },
    token: { type: "text", default: "default-secret", secret: true, sentence: "A secret." },
    more: { type: "mapping", sentence: "A block." },
  };
  const listed = listSettings({ kind: "auth", name: "m", contract: 2, settings }, configuration);
  assert.doesNotMatch(JSON.stringify(listed), /hush|default-secret/);
  assert.deepEqual(listed.map(({ key, is_set, value }) => [key, is_set, value]), [
    ["title", true, "T"],
    ["token", true, null],
    ["more", true, null],
    ["odd", true, null],
  ]);
});
