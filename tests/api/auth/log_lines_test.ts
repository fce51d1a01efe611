import assert from "node:assert/strict";
import { startService } from "@/tests/support/service.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";

/** Writes a line in each member, after a wait where it may wait. */
const PLUGIN = `
export default { contract: 2, kind: "auth", name: "talkative", setup: (section, host) => {
  const say = (member) => host.log.info("in " + member);
  const sayLater = (member, answer) => new Promise((resolve) => setTimeout(() => {
    say(member);
    resolve(answer);
  }, 1));
  return {
    authenticate: ({ headers }) => {
      if (!headers.has("x-later")) say("authenticate");
      return headers.has("x-later") ? sayLater("late authenticate", { outcome: "absent" }) : { outcome: "absent" };
    },
    checkPassword: (login, password) => {
      if (password === "broken") throw new Error("no directory");
      return sayLater("checkPassword", true);
    },
    notices: () => {
      say("notices");
      return [];
    },
    // Its path begins like those of data.
    routes: [{ method: "GET", path: "/dbtalk/{about}", handle: async ({ parameters }) => {
      if (parameters.get("about") === "document") {
        const document = host.keepDocument({
          source: "nowhere.json", title: "The document", accept: "*/*", maxAge: 1000, parse: String,
          signal: new AbortController().signal,
        });
        await document.get();
      }
      return sayLater("handle", { kind: "text", text: "talked" });
    } }, { method: "POST", path: "/leave", handle: async (request) => {
      const { cookies } = await host.logOut(request);
      return { kind: "text", text: "left", cookies };
    } }, { method: "POST", path: "/enter", handle: async (request) => {
      const cookies = await host.sessions.open(host.findUser("anna"), request);
      return { kind: "text", text: "entered", cookies };
    } }],
    afterLogout: () => {
      say("afterLogout");
      throw new Error("no way");
    },
  };
} };
`;

Deno.test("every line that a login plugin writes during a request has the id of the request", async () => {
  using folder = pluginFolder({ "auth/talkative/mod.ts": PLUGIN });
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
      "config/auth.cfg":
        "authentication_policies:\n  talkative: {enabled: true, priority: 1, gui: {visible: true}}\n" +
        "  login_form: {enabled: true, priority: 2, gui: {visible: true}}\n",
      "config/users.cfg": "public: {databases: {Demo: {}}}\nadmin: {}\nanna: {}\n",
    },
  });
  const ask = async (id: string, path: string, init: RequestInit = {}) => {
    const answer = await service.fetch(path, {
      ...init,
      headers: { ...init.headers as Record<string, string>, "X-Request-Id": id },
    });
    await answer.body?.cancel();
    return answer.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]).join("; ");
  };
  const logIn = (id: string, password: string) =>
    ask(id, "/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ login: "anna", password }),
    });
  await Promise.all([ask("one", "/db.json"), ask("two", "/db.json", { headers: { "X-Later": "yes" } })]);
  await ask("three", "/login", { headers: { Accept: "text/html" } });
  await ask("four", "/dbtalk/weather");
  await ask("five", "/dbtalk/document");
  await logIn("six", "right");
  await logIn("seven", "broken");
  const Cookie = await ask("eight", "/enter", { method: "POST" });
  await ask("nine", "/leave", { method: "POST", headers: { Cookie } });
  const lines = (await service.log()).split("\n").filter((line) => /^\d{4}-.*"talkative"/.test(line));
  const said = lines.map((line) => line.replace(/^.*?"talkative":? /, ""));
  for (
    const [expected, id] of [
      ["in authenticate", "one"],
      ["in late authenticate", "two"],
      ["in notices", "three"],
      ["in handle", "four"],
      ["in handle", "five"],
      ["in checkPassword", "six"],
      ["failed in checkPassword()", "seven"],
      ["in afterLogout", "nine"],
      ["failed in afterLogout()", "nine"],
    ] as const
  ) {
    assert.ok(
      said.some((line) => line.startsWith(`${expected} (${id})`)),
      `${expected} (${id}): ${said.join("\n")}`,
    );
  }
  assert.match(said.join("\n"), /The document: "nowhere\.json" cannot be read: .*\(five\)$/m);
  assert.deepEqual(said.filter((line) => !/\(\w+\)(: |$)/.test(line)), []);
});
