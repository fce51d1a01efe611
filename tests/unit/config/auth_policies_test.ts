import assert from "node:assert/strict";
import type { Configuration } from "@/config/mod.ts";
import { complaintsAbout, load, TestDirectory } from "./directory.ts";

Deno.test("policies come by priority, disabled ones too, with their whole block", () => {
  const { authentication } = load({
    "auth.cfg": [
      "authentication_policies:",
      "  cookie: {enabled: true, priority: 6}",
      "  apikey: {enabled: true, priority: 1, gui: {visible: false}, apikey_name: key}",
      "  jwt: {enabled: false, priority: 3, gui.visible: false, identity_providers: {x: {client_id: '${ID}'}}}",
    ].join("\n"),
  }, { ID: "id-1" });
  assert.deepEqual(authentication, [
    {
      name: "apikey",
      enabled: true,
      priority: 1,
      visible: false,
      section: { enabled: true, priority: 1, gui: { visible: false }, apikey_name: "key" },
    },
    {
      name: "jwt",
      enabled: false,
      priority: 3,
      visible: false,
      section: {
        "enabled": false,
        "priority": 3,
        "gui.visible": false,
        "identity_providers": { x: { client_id: "id-1" } },
      },
    },
    { name: "cookie", enabled: true, priority: 6, visible: true, section: { enabled: true, priority: 6 } },
  ]);
});

Deno.test("without auth.cfg the methods are those of the sample", () => {
  using sample = new TestDirectory();
  Deno.copyFileSync(new URL("../../../config/sample/auth.cfg", import.meta.url), sample.file("auth.cfg"));
  const shown = ({ authentication }: Configuration) =>
    authentication.map(({ name, enabled, priority, visible }) => ({ name, enabled, priority, visible }));
  assert.deepEqual(shown(load({})), shown(sample.load()));
  const sections = load({}).authentication.map(({ section }) => section);
  assert.deepEqual(sections, Array(6).fill({}), "no key counts as configured");
});

Deno.test("a method that is switched off needs no priority", () => {
  const content = "authentication_policies: {cookie: {enabled: true, priority: 1}, jwt: {enabled: false}}";
  const { authentication } = load({ "auth.cfg": content });
  const shown = Object.fromEntries(authentication.map(({ name, enabled }) => [name, enabled]));
  assert.deepEqual(shown, { cookie: true, jwt: false });
});

for (const content of ["", "# nothing\n"]) {
  Deno.test(`an auth.cfg that is "${content}" is refused`, () => {
    assert.deepEqual(complaintsAbout({ "auth.cfg": content }), [
      "auth.cfg: authentication_policies: Is required, found nothing",
    ]);
  });
}

const P = "auth.cfg: authentication_policies";
const MISTAKES: readonly [what: string, yaml: string, complaints: string[]][] = [
  ["a missing root", "apikey: {}", [
    "auth.cfg: apikey: Unknown member: expected one of authentication_policies",
    `${P}: Is required, found nothing`,
  ]],
  ["a misspelt root", "authentication_policy: {}", [
    'auth.cfg: authentication_policy: Unknown member: did you mean "authentication_policies"?',
    `${P}: Is required, found nothing`,
  ]],
  ["a block that is none", "authentication_policies: {apikey: true}", [
    `${P}.apikey: Expected a mapping, found a boolean`,
  ]],
  ["missing members", "authentication_policies: {apikey: {}}", [
    `${P}.apikey.enabled: Is required, found nothing`,
    `${P}.apikey.priority: Is required, found nothing`,
  ]],
  ["wrong types", "authentication_policies: {apikey: {enabled: maybe, priority: first, gui: {visible: 3}}}", [
    `${P}.apikey.enabled: Expected true or false, found text`,
    `${P}.apikey.priority: Expected an integer, found text`,
    `${P}.apikey.gui.visible: Expected true or false, found a number`,
  ]],
  ["a priority with decimals", "authentication_policies: {apikey: {enabled: true, priority: 1.5}}", [
    `${P}.apikey.priority: Expected an integer, found 1.5`,
  ]],
  [
    "an unknown member of gui",
    "authentication_policies: {apikey: {enabled: true, priority: 1, gui: {visble: true}}}",
    [
      `${P}.apikey.gui.visble: Unknown member: did you mean "visible"?`,
    ],
  ],
  [
    "visible twice",
    "authentication_policies: {a: {enabled: true, priority: 1, gui: {visible: true}, gui.visible: true}}",
    [
      `${P}.a.gui.visible: Is set a second time: it stands under gui, too`,
    ],
  ],
  [
    "two enabled methods of the same priority",
    "authentication_policies: {a: {enabled: true, priority: 1}, b: {enabled: true, priority: 1}}",
    [
      `${P}.b.priority: Expected another priority than that of "a", found 1 for both`,
    ],
  ],
];

for (const [what, yaml, complaints] of MISTAKES) {
  Deno.test(`auth.cfg is refused for ${what}`, () =>
    assert.deepEqual(complaintsAbout({ "auth.cfg": yaml }), complaints));
}

Deno.test("a disabled method may have the priority of another", () => {
  const yaml = "authentication_policies: {a: {enabled: true, priority: 1}, b: {enabled: false, priority: 1}}";
  assert.deepEqual(complaintsAbout({ "auth.cfg": yaml }), []);
});
