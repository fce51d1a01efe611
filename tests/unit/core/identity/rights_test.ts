import assert from "node:assert/strict";
import { plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { lookUpTables } from "@/core/schema/definition_names.ts";
import { showDefinition } from "@/core/definitions/documents.ts";
import { parameterNames } from "@/core/queries/saved_query.ts";
import type { Service } from "@/core/service.ts";
import { traits as sqlite } from "@/plugins/dialects/sqlite/traits.ts";
import type { DatabaseMapping, Operation, QueryDefinition, User } from "@/core/model.ts";
import { type ConfigurationResource, isWithin, mayDo } from "@/core/identity/definition_rights.ts";

function user(login: string, members: Partial<User> = {}): User {
  const lists = { dbdef: [], querydef: [], userdef: [], view: [], edit: [] };
  return { login, enabled: true, name: "", email: "", databases: new Map(), ...lists, ...members };
}

const ACTORS = {
  admin: user("admin"),
  public: user("public", { edit: ["public"], view: ["public"] }),
  nobody: user("nobody"),
  self: user("self"),
  own: user("own", { view: ["own"], edit: ["own"] }),
  words: user("words", {
    dbdef: ["create", "view", "edit", "delete", "execute"],
    querydef: ["create", "view", "edit", "delete", "execute"],
    userdef: ["create", "view"],
  }),
  creator: user("creator"),
  reads: user("reads"),
  writes: user("writes"),
  executes: user("executes"),
  views: user("views"),
  edits: user("edits"),
} as const;

type Actor = keyof typeof ACTORS;

const LISTS = { creator: "creator", read: ["reads"], write: ["writes"], execute: ["executes"] };
const DATABASE = plainDefinition({ id: "D", ...LISTS });
const QUERY: QueryDefinition = {
  id: "Q",
  database: "D",
  description: "",
  sql: "SELECT 1",
  parameters: new Map(),
  methods: ["GET"],
  ...LISTS,
};
const TARGET = user("target", { view: ["views"], edit: ["edits"] });
const NAMED_IN_ADMIN = user("admin", { view: ["views"], edit: ["edits", "words"] });

const RESOURCES = {
  "all dbdef": { kind: "dbdef" },
  "a dbdef": { kind: "dbdef", definition: DATABASE },
  "all querydef": { kind: "querydef" },
  "a querydef": { kind: "querydef", definition: QUERY },
  "all userdef": { kind: "userdef" },
  "an account": { kind: "userdef", definition: TARGET },
  "an account's name": { kind: "userdef", definition: TARGET, member: "name" },
  "the account of admin": { kind: "userdef", definition: NAMED_IN_ADMIN },
  "the account of public": { kind: "userdef", definition: ACTORS.public },
  "the name of public": { kind: "userdef", definition: ACTORS.public, member: "name" },
  "self": { kind: "userdef", definition: ACTORS.self },
  "the name of self": { kind: "userdef", definition: ACTORS.self, member: "name" },
  "the password of self": { kind: "userdef", definition: ACTORS.self, member: "password" },
  "the apikey of self": { kind: "userdef", definition: ACTORS.self, member: "apikey" },
  "the databases of self": { kind: "userdef", definition: ACTORS.self, member: "databases" },
  "the userdef of self": { kind: "userdef", definition: ACTORS.self, member: "userdef" },
  "the edit list of self": { kind: "userdef", definition: ACTORS.self, member: "edit" },
  "the appid of self": { kind: "userdef", definition: ACTORS.self, member: "appid" },
  "own": { kind: "userdef", definition: ACTORS.own },
  "licence": { kind: "licence" },
  "requests": { kind: "requests" },
} as const satisfies Readonly<Record<string, ConfigurationResource>>;

const ACTIONS = ["view", "create", "edit", "delete", "execute"] as const;

type Action = (typeof ACTIONS)[number];

/** The permitted actors of each action beside admin; all others are refused. */
const ALLOWED: {
  readonly [Resource in keyof typeof RESOURCES]: { readonly [A in Action]?: readonly Actor[] };
} = {
  "all dbdef": {
    view: ["words"],
    create: ["words"],
    edit: ["words"],
    delete: ["words"],
    execute: ["words"],
  },
  "a dbdef": {
    view: ["words", "creator", "reads", "writes"],
    create: ["words"],
    edit: ["words", "creator", "writes"],
    delete: ["words", "creator", "writes"],
    execute: ["words", "creator", "executes"],
  },
  "all querydef": {
    view: ["words"],
    create: ["words"],
    edit: ["words"],
    delete: ["words"],
    execute: ["words"],
  },
  "a querydef": {
    view: ["words", "creator", "reads", "writes"],
    create: ["words"],
    edit: ["words", "creator", "writes"],
    delete: ["words", "creator", "writes"],
    execute: ["words", "creator", "executes"],
  },
  "all userdef": { view: ["words"], create: ["words"] },
  "an account": { view: ["words", "views", "edits"], create: ["words"], edit: ["edits"], delete: ["edits"] },
  "an account's name": {
    view: ["words", "views", "edits"],
    create: ["words"],
    edit: ["edits"],
    delete: ["edits"],
  },
  "the account of admin": { view: ["words", "views", "edits"] },
  "the account of public": { view: ["words", "public"], create: ["words"] },
  "the name of public": { view: ["words", "public"], create: ["words"] },
  "self": { view: ["words"], create: ["words"] },
  "the name of self": { view: ["words", "self"], create: ["words"], edit: ["self"] },
  "the password of self": { view: ["words"], create: ["words"], edit: ["self"] },
  "the apikey of self": { view: ["words"], create: ["words"], edit: ["self"] },
  "the databases of self": { view: ["words"], create: ["words"] },
  "the userdef of self": { view: ["words"], create: ["words"] },
  "the edit list of self": { view: ["words"], create: ["words"] },
  "the appid of self": { view: ["words"], create: ["words"] },
  "own": { view: ["words", "own"], create: ["words"], edit: ["own"], delete: ["own"] },
  "licence": {},
  "requests": {},
};

/** The exceptions of admin: deleting itself, and executing accounts, which does not exist. */
function adminMay(resource: keyof typeof RESOURCES, action: Action): boolean {
  if (RESOURCES[resource].kind === "userdef" && action === "execute") return false;
  return !(resource === "the account of admin" && action === "delete");
}

for (const [name, resource] of Object.entries(RESOURCES)) {
  const title = name as keyof typeof RESOURCES;
  for (const action of ACTIONS) {
    Deno.test(`${title}: who may ${action}`, () => {
      const actual = Object.entries(ACTORS).filter(([, actor]) => mayDo(actor, action, resource))
        .map(([actor]) => actor);
      const expected = ALLOWED[title][action] ?? [];
      const inOrder = Object.keys(ACTORS).filter((actor) =>
        actor === "admin" ? adminMay(title, action) : expected.some((each) => each === actor)
      );
      assert.deepEqual(actual, inOrder);
    });
  }
}

function mapping(dbuser: string, access?: Readonly<Record<string, readonly Operation[]>>): DatabaseMapping {
  const sets = access && new Map(Object.entries(access).map(([table, list]) => [table, new Set(list)]));
  return { dbuser, dbpass: "", ...(sets ? { access: sets } : {}) };
}

const WITHIN:
  readonly (readonly [title: string, mapping: DatabaseMapping, bound: DatabaseMapping, is: boolean])[] = [
    ["the same", mapping("a", { "*": ["read"] }), mapping("a", { "*": ["read"] }), true],
    ["less in everything", mapping("a", { "*": ["read"] }), mapping("a"), true],
    ["no access list", mapping("a"), mapping("a", { "*": ["read", "create", "update", "delete"] }), false],
    ["another login", mapping("b", {}), mapping("a"), false],
    ["one table of all", mapping("a", { X: ["read"] }), mapping("a", { "*": ["read"] }), true],
    ["all of one table", mapping("a", { "*": ["read"] }), mapping("a", { X: ["read"] }), false],
    [
      "a table that is taken out there",
      mapping("a", { "*": ["read"] }),
      mapping("a", { "*": ["read"], X: [] }),
      false,
    ],
    [
      "a table taken out, too",
      mapping("a", { "*": ["read"], X: [] }),
      mapping("a", { "*": ["read"], X: [] }),
      true,
    ],
    ["another operation", mapping("a", { X: ["update"] }), mapping("a", { X: ["read"] }), false],
    ["nothing", mapping("a", {}), mapping("a", {}), true],
    [
      "a table that is taken out there under another spelling",
      mapping("a", { salary: ["read"] }),
      mapping("a", { "*": ["read"], Salary: [] }),
      false,
    ],
    [
      "a table that one of two spellings takes out there",
      mapping("a", { salary: ["read"] }),
      mapping("a", { "*": ["read"], Salary: [], SALARY: ["read"] }),
      false,
    ],
    [
      "tables that an ambiguous name takes out there",
      mapping("a", { "*": ["read"] }),
      mapping("a", { "*": ["read"], Order: ["read"] }),
      false,
    ],
    [
      "a table that an ambiguous name takes out there",
      mapping("a", { "sales.Order": ["read"] }),
      mapping("a", { "*": ["read"], order: [] }),
      false,
    ],
    [
      "another operation on a table that is not there yet",
      mapping("a", { Future: ["update"] }),
      mapping("a", { "*": ["read"] }),
      false,
    ],
    [
      "a table that is taken out there and not there yet",
      mapping("a", { "*": ["read"] }),
      mapping("a", { "*": ["read"], Future: [] }),
      false,
    ],
    [
      "all tables, where each of today is named,",
      mapping("a", { "*": ["read"] }),
      mapping("a", { X: ["read"], salary: ["read"], "hr.Order": ["read"], "sales.Order": ["read"] }),
      false,
    ],
  ];

const TABLES = ["X", "salary", "hr.Order", "sales.Order"];
const KNOWN = {
  names: TABLES,
  named: lookUpTables(TABLES.map((name) => ({ name, identifier: name.split(".") }))),
};

for (const [title, inner, bound, is] of WITHIN) {
  Deno.test(`a mapping with ${title} is ${is ? "" : "not "}within the other`, () => {
    assert.equal(isWithin(inner, bound, KNOWN), is);
  });
}

Deno.test("while the tables are unknown, only equal access is within", () => {
  assert.equal(isWithin(mapping("a", { "*": ["read"] }), mapping("a", { "*": ["read", "update"] })), false);
  assert.equal(
    isWithin(mapping("a", { X: [], "*": ["read"] }), mapping("a", { "*": ["read"], X: [] })),
    true,
  );
  assert.equal(isWithin(mapping("a", {}), mapping("a")), true);
});

Deno.test("a mapping with the same login and another password is not within the other", () => {
  assert.equal(isWithin({ dbuser: "a", dbpass: "x" }, { dbuser: "a", dbpass: "y" }), false);
});

Deno.test("a refused request does not read all SQL, and others read it once: it takes a second", () => {
  let count = 0;
  const read = () => {
    count++;
    return "SELECT :a";
  };
  const definition = Object.defineProperty({ ...QUERY }, "sql", { enumerable: true, get: read });
  const databases = new Map([["D", { lexis: sqlite.lexis }]]);
  assert.equal(
    showDefinition(ACTORS.nobody, { kind: "querydef", definition }, { databases } as unknown as Service),
    undefined,
  );
  assert.equal(count, 0);
  for (let times = 0; times < 2; times++) assert.deepEqual(parameterNames(definition, databases), ["a"]);
  assert.equal(count, 1);
});
