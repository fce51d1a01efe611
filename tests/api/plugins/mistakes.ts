/**
 * Plugins with a mistake in one member each, and the effect that it has: the
 * table of mistakes in docs/plugin-mistakes.md.
 *
 * @module
 */

/** The mistakes, in the order of the columns of {@link EFFECTS}. */
const MISTAKES = ["throws", "hangs", "nothing", "wrong"] as const;
/** One of {@link MISTAKES}. */
export type Mistake = (typeof MISTAKES)[number];

/**
 * The effect: a status, `503` also where the caller may wait until then; `left out`: the page is there
 * without it; `no effect`; `disconnected`: the database is; `ends`: a body that was begun breaks off; `no
 * session`: the request counts as one without credentials; `no backup`: the command `backup` fails; `no
 * start`: the service does not start.
 */
export type Effect =
  | 400
  | 404
  | 409
  | 500
  | 503
  | 504
  | "left out"
  | "no effect"
  | "disconnected"
  | "ends"
  | "no session"
  | "no backup"
  | "no start";

type Effects = Readonly<Record<string, readonly [Effect, Effect, Effect, Effect]>>;

/** By kind and member: the effects of an exception, of no answer, of nothing, and of something else. */
export const EFFECTS: Readonly<
  Record<"format" | "auth" | "dialect" | "engine" | "files" | "cache", Effects>
> = {
  format: {
    writer: [500, 500, 500, 500],
    body: [500, 500, 500, 500],
    begin: [500, 503, 500, 500],
    row: [500, 503, 500, 500],
    end: [500, 503, 500, 500],
    document: [500, 503, 500, 500],
    view: [500, 503, 500, 500],
    problem: [404, 404, 404, 404],
    schema: [500, 503, 500, 500],
    documentSchema: [500, 503, 500, 500],
    read: [500, 503, 500, 500],
    shows: [500, 500, 500, 500],
    isAmbiguous: [500, 500, 500, 500],
    escape: [500, 500, 500, 500],
    form: ["no effect", "no effect", "no effect", "no effect"],
  },
  auth: {
    authenticate: [500, 503, 500, 500],
    checkPassword: [503, 503, 500, 500],
    handle: [500, 503, 500, 500],
    buttons: ["left out", "left out", "no effect", "left out"],
    notices: ["left out", "left out", "no effect", "left out"],
    clientSettings: ["left out", "left out", "no effect", "left out"],
    securitySchemes: ["left out", "left out", "no effect", "left out"],
    form: ["left out", "left out", "no effect", "left out"],
    start: ["no start", "no start", "no effect", "no start"],
    afterLogout: ["no effect", "no effect", "no effect", "no effect"],
  },
  dialect: {
    connect: ["disconnected", "disconnected", "disconnected", "disconnected"],
    catalog: ["disconnected", "disconnected", "disconnected", "disconnected"],
    as: [500, 500, 500, 500],
    prepare: [500, 500, 500, 500],
    describe: [500, 503, 500, 500],
    plan: [500, 504, 500, 500],
    place: ["no effect", "no effect", "no effect", "no effect"],
    read: [500, 504, 500, 500],
    stream: [500, 500, 500, 500],
    write: [500, 504, "no effect", 500],
    begin: [500, 504, 500, 500],
    run: [500, 504, 500, 500],
    commit: [500, 504, 500, 500],
    classify: [500, 500, 500, 500],
    explain: [409, 409, 409, 409],
    requireFileIn: [400, 503, "no effect", "no effect"],
    usage: ["no effect", "no effect", "no effect", "no effect"],
    check: ["no effect", "no effect", "no effect", "no effect"],
    dispose: ["no effect", "no effect", "no effect", "no effect"],
  },
  engine: {
    open: ["disconnected", "disconnected", "disconnected", "disconnected"],
    catalog: ["disconnected", "disconnected", "disconnected", "disconnected"],
    fingerprint: ["disconnected", "disconnected", "no effect", "no effect"],
    describe: [500, 504, 500, 500],
    query: [500, 504, 500, 500],
    cursor: [500, 504, 500, 500],
    classify: [500, 500, 500, 500],
    reset: ["no effect", "no effect", "no effect", "no effect"],
    close: ["no effect", "no effect", "no effect", "no effect"],
  },
  files: {
    pathOf: ["no backup", "no backup", "no backup", "no backup"],
    copy: ["no backup", "no backup", "no backup", "no backup"],
    beside: ["no start", "no start", "no start", "no start"],
  },
  cache: {
    get: [503, 503, "no session", 503],
    add: [503, 503, 503, 503],
    replace: [503, 503, 503, 503],
    touch: [503, 503, 503, 503],
    remove: [503, 503, "no effect", "no effect"],
    dispose: ["no effect", "no effect", "no effect", "no effect"],
  },
};

/** One plugin with one mistake. */
export interface Case {
  /** Of the plugin: `read_throws`. */
  readonly name: string;
  readonly member: string;
  readonly mistake: Mistake;
  readonly effect: Effect | undefined;
}

/**
 * Members that only one plugin of a service can have, that keep it from starting, or that definitions reach.
 */
const ALONE: ReadonlySet<string> = new Set(["escape", "form", "requireFileIn", "start"]);

/** Every mistake of a kind that a service can have beside the others, in the order of {@link EFFECTS}. */
export function mistakesOf(kind: keyof typeof EFFECTS): readonly Case[] {
  return allOf(kind).filter(({ member }) => !ALONE.has(member));
}

/** Every mistake of a kind that needs a service of its own. */
export function loneMistakesOf(kind: keyof typeof EFFECTS): readonly Case[] {
  return allOf(kind).filter(({ member }) => ALONE.has(member));
}

function allOf(kind: keyof typeof EFFECTS): readonly Case[] {
  return Object.entries(EFFECTS[kind]).flatMap(([member, effects]) =>
    MISTAKES.map((mistake, at) => {
      return { name: `${member.toLowerCase()}_${mistake}`, member, mistake, effect: effects[at] };
    })
  );
}

/** What a member does that has the mistake. */
const BAD = `const BAD = {
  throws() { throw new Error("broken on purpose"); },
  hangs: () => new Promise(() => {}),
  nothing: () => undefined,
  wrong: () => 7,
};`;

/** A format whose only mistake is in this member. */
export function oddFormat({ name, member, mistake }: Case): string {
  return `${BAD}
const bad = BAD.${mistake};
const at = (name, good) => name === "${member}" ? bad : good;
export default { contract: 2, kind: "format", name: "${name}", setup: () => ({
  contentTypes: ["text/x-${name.replace("_", "-")}"],
  writer: at("writer", () => at("body", () => ({
    begin: at("begin", () => ""), row: at("row", () => "x"), end: at("end", () => ""),
  }))),
  document: at("document", () => "\u8868"),
  ...(["view", "form", "escape"].includes("${member}") ? { ${member}: bad } : {}),
  ...("${member}" === "isAmbiguous" || "${member}" === "shows" ? { shows: () => true, "${member}": bad } : {}),
  documentSchema: at("documentSchema", () => "x"),
  problem: at("problem", () => "x"),
  schema: at("schema", () => "x"),
  read: at("read", () => ({ records: [new Map([["Id", { kind: "number", text: "1" }], ["Size", { kind: "number", text: "1" }]])], isList: false })),
}) };
`;
}

/**
 * A method that fails on the request of a header, on the password of a login, or with a
 * part of a page or of the documents.
 */
export function oddMethod({ name, member, mistake }: Case): string {
  const isAsked = ["buttons", "notices", "form", "start", "afterLogout"].includes(member);
  const part = ["authenticate", "checkPassword", "handle"].includes(member)
    ? ""
    : isAsked
    ? `${member}: bad,`
    : `get ${member}() { return bad(); },`;
  return `${BAD}
const bad = BAD.${mistake};
export default { contract: 2, kind: "auth", name: "${name}", setup: (_section, host) => ({
  authenticate: ({ headers }) => "${member}" === "authenticate" && headers.get("x-odd") === "${name}"
    ? bad() : { outcome: "absent" },
  checkPassword: (login) => login === "${name}" && "${member}" === "checkPassword" ? bad() : false,
  routes: [{ method: "GET", path: "/odd/${name}", handle: bad }, {
    method: "GET",
    path: "/in/${name}",
    handle: async (request) => {
      const cookies = await host.sessions.open(host.findUser("admin"), request);
      return { kind: "done", to: "/", status: 302, result: {}, cookies };
    },
  }],
  ${part}
}) };
`;
}

/** SQLite with a mistake in one member. */
export function oddDialect({ name, member, mistake }: Case, sqlite: string): string {
  return `import sqlite from ${JSON.stringify(sqlite)};
${BAD}
const bad = BAD.${mistake};
const at = (name, good) => name === "${member}" ? bad : good;
function wrap(inner) {
  const outer = {};
  for (const name of ["catalog", "check", "prepare", "describe", "read", "stream", "classify", "explain", "usage"]) {
    outer[name] = at(name, (...given) => inner[name](...given));
  }
  if ("${member}" === "classify") outer.read = () => { throw new Error("broken on purpose"); };
  outer.sql = inner.sql;
  if (["as", "write", "plan", "place"].includes("${member}")) outer["${member}"] = bad;
  outer.begin = at("begin", async (options) => {
    const transaction = await inner.begin(options);
    return {
      run: at("run", (...given) => transaction.run(...given)),
      commit: at("commit", () => transaction.commit()),
      rollback: () => transaction.rollback(),
      [Symbol.asyncDispose]: () => transaction[Symbol.asyncDispose](),
    };
  });
  outer[Symbol.asyncDispose] = async () => {
    await inner[Symbol.asyncDispose]();
    return await at("dispose", () => {})();
  };
  return outer;
}
export default { contract: 2, kind: "dialect", name: "${name}", setup(section, host) {
  const inner = sqlite.setup(section, host);
  return {
    hasLogins: "${member}" === "as",
    requireFileIn: at("requireFileIn", async () => {}),
    connect: at("connect", async (...given) => wrap(await inner.connect(...given))),
    files: {
      pathOf: at("pathOf", (file) => file),
      copy: at("copy", (file, copy) => Deno.copyFile(file, copy)),
      get beside() { return at("beside", () => [])(); },
    },
  };
} };
`;
}

/**
 * A dialect that is made with the kit from the engine of the plugin at `plain`, with a mistake in one member.
 */
export function oddEngine({ name, member, mistake }: Case, plain: string): string {
  return `import plain from ${JSON.stringify(plain)};
${BAD}
const odd = { ${member}: BAD.${mistake}${member === "classify" ? ", query: BAD.throws" : ""} };
export default { contract: 2, kind: "dialect", name: "${name}", options: plain.options, setup: (section, host) =>
  plain.setup(section, {
    ...host,
    kit: { connect: (engine, place) => host.kit.connect({ ...engine, ...odd }, place) },
  }),
};
`;
}

/** A cache in memory that has the mistake whose name the test puts into `globalThis.oddCache`. */
export const ODD_CACHE = `${BAD}
const values = new Map();
const keep = (key, value) => { values.set(key, { value, version: crypto.randomUUID() }); return true; };
const GOOD = {
  get: async (key) => values.get(key),
  add: async (key, value) => values.has(key) ? false : keep(key, value),
  replace: async (key, value, { version }) => values.get(key)?.version === version && keep(key, value),
  touch: async (key) => values.has(key),
  remove: async (key) => void values.delete(key),
  dispose: async () => {},
};
const call = (name) => (...given) => {
  const [member, mistake] = (globalThis.oddCache ?? "").split("_");
  return (member === name ? BAD[mistake] : GOOD[name])(...given);
};
export default { contract: 2, kind: "cache", name: "odd", setup: () => ({
  open: () => ({
    ...Object.fromEntries(Object.keys(GOOD).map((name) => [name, call(name)])),
    [Symbol.asyncDispose]: call("dispose"),
  }),
}) };
`;

const HEADERS: readonly string[] = ["throws", "never answers", "gives nothing", "gives something else"];

/** The table of mistakes in the documentation. */
export function mistakeTable(kind: keyof typeof EFFECTS): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = Object.entries(EFFECTS[kind]).map((
    [member, effects],
  ) => [`\`${member}\``, ...effects.map(String)]);
  return [["Member", ...HEADERS], Array(5).fill("---"), ...rows].map(row).join("\n");
}
