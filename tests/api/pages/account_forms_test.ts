import assert from "node:assert/strict";
import { Browser, browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { startService, type TestService } from "@/tests/support/service.ts";

const USERS = `public: {databases: {}}
admin: {password: ${PASSWORD}-admin}
anna: {name: Anna, email: anna@ferries.example, password: ${PASSWORD}, databases: {Demo: {}}}
`;

const adminOf = (service: TestService) => browserOf(service, "admin", `${PASSWORD}-admin`);

/** The input of a field, and the complaint below it. */
function fieldIn(
  html: string,
  name: string,
): { readonly value?: string | undefined; readonly problem?: string | undefined } {
  const [all = "", input = ""] =
    new RegExp(`(<input[^>]* name="${name.replaceAll(".", "\\.")}"[^>]*>).*?\n</div>`, "s")
      .exec(html) ?? [];
  return {
    value: / value="([^"]*)"/.exec(input)?.[1],
    problem: /class="complaint"[^>]*>([^<]*)</.exec(all)?.[1],
  };
}

Deno.test("the form of a new user comes back and asks for the password again, and a disabled account reaches nothing", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await adminOf(service);
  const { text } = await browser.get("/userdef.html?ui.new");
  assert.doesNotMatch(text, /Empty: it stays as it is/);
  assert.match(text, />Letters, digits, _, -, ~ and @, for example ada_lovelace\.</);
  const fields = { ...hiddenFields(text), "s.user_id": "carl", "s.name": "Carl", "b.enabled": "true" };
  const typed = { ...fields, "s.user_id": "anna", "p.password": "quiet-otter-lantern" };
  const taken = await browser.post("/ui/userdef", typed);
  assert.equal(taken.status, 409);
  assert.deepEqual(fieldIn(taken.text, "p.password"), {
    value: undefined,
    problem: "Type it again: it is not sent back.",
  });
  assert.doesNotMatch(taken.text, /quiet-otter-lantern/);
  assert.equal(taken.headers.get("cache-control"), "no-store");
  const made = await browser.post("/ui/userdef", { ...typed, "s.user_id": "carl" });
  assert.equal(made.status, 303, made.text);
  const edit = await browser.get("/userdef/carl.html?ui.edit");
  assert.equal(fieldIn(edit.text, "p.password").value, undefined);
  const { "b.enabled": _, ...off } = { ...fields, ...hiddenFields(edit.text) };
  const changed = await browser.post("/ui/userdef/carl", off);
  assert.equal(changed.status, 303, changed.text);
  assert.match((await browser.get("/userdef/carl.html")).text, /This account is disabled: nobody can use it/);
});

Deno.test("the form of a user is saved beside databases of thousands of tables", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await adminOf(service);
  const fields = sentForm((await browser.get("/userdef/anna.html?ui.edit")).text);
  fields.set("s.name", "Anna B.");
  for (let table = 0; table < 6000; table++) {
    fields.append("ui.tables.Demo", `Table${table}`);
    fields.append(`m.${JSON.stringify(["Demo", `Table${table}`])}`, "same");
  }
  const headers = { Accept: "text/html", Origin: service.url };
  const saved = await browser.send("/ui/userdef/anna", { method: "POST", headers, body: fields });
  assert.equal(saved.status, 303, saved.text);
  assert.match((await browser.get("/userdef/anna.html")).text, /Anna B\./);
});

Deno.test("mistakes in an account stand at their fields, in people's words", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await adminOf(service);
  const fields = { ...hiddenFields((await browser.get("/userdef.html?ui.new")).text), "s.user_id": "carl" };
  const weak = await browser.post("/ui/userdef", { ...fields, "p.password": "ferry" });
  assert.equal(fieldIn(weak.text, "p.password").value, undefined);
  assert.match(
    fieldIn(weak.text, "p.password").problem ?? "",
    /^It is too easy to guess, choose a longer one/,
  );
  assert.match(
    weak.text,
    /role="alert">1 field needs attention: [^<]*\.<.* name="p\.password"[^>]* autofocus/s,
  );
  const taken = await browser.post("/ui/userdef", { ...fields, "s.user_id": "anna" });
  assert.deepEqual(fieldIn(taken.text, "s.user_id"), { value: "anna", problem: "It is there already" });
  const twice = await browser.post("/ui/userdef", { ...fields, "s.email": "Anna@ferries.example" });
  assert.equal(fieldIn(twice.text, "s.email").problem, "Another account has it");
  const escape = await browser.post("/ui/userdef", { ...fields, "s.name": "Carl\u001b[1m" });
  const problem = "It has a control character other than tabs and line breaks";
  assert.deepEqual([escape.status, fieldIn(escape.text, "s.name").problem], [400, problem]);
});

Deno.test("an account may have a part of an address, which patterns of providers lead to", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await adminOf(service);
  const { text } = await browser.get("/userdef.html?ui.new");
  const [input = ""] = /<input[^>]* name="s\.email"[^>]*>/.exec(text) ?? [];
  assert.match(input, / type="text"/, "browsers would take a whole address only");
  const made = { "s.user_id": "ferries", "s.email": "ferries.example", "b.enabled": "true" };
  assert.equal((await browser.post("/ui/userdef", { ...hiddenFields(text), ...made })).status, 303);
  const edit = (await browser.get("/userdef/ferries.html?ui.edit")).text;
  assert.equal(fieldIn(edit, "s.email").value, "ferries.example");
});

Deno.test("the form of an account tells which passwords are strong enough here", async () => {
  const users = USERS;
  await using service = await startService(homeOf({ users, ini: ["min_password_strength = 4"] }));
  const browser = await adminOf(service);
  for (const path of ["/userdef.html?ui.new", "/userdef/anna.html?ui.edit"]) {
    const { text } = await browser.get(path);
    assert.match(text, /Five unrelated words, or fourteen mixed characters/, path);
    assert.doesNotMatch(text, /Three unrelated words/, path);
  }
});

Deno.test("an account without a password, as with single sign-on, is not asked for its password so far", async () => {
  const apikey = "sso-0123456789abcdef0123456789abcdef";
  const users = `${USERS}olga: {apikey: ${apikey}, databases: {}}\n`;
  await using service = await startService(homeOf({ users }));
  for (const query of ["ui.edit", "ui.newkey"]) {
    const answer = await service.fetch(`/userdef/olga.html?${query}`, { headers: { apikey } });
    const text = await answer.text();
    assert.match(text, /<form [^>]*action="\/ui\/userdef\/olga"/, query);
    assert.doesNotMatch(text, /current_password/, query);
  }
});

Deno.test("a wrong password is told at its field", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await browserOf(service, "anna", PASSWORD);
  const { text } = await browser.get("/userdef/anna.html?ui.edit");
  const wrong = { "p.password": "quiet-otter-lantern", "p.current_password": "not-this-one" };
  const refused = await browser.post("/ui/userdef/anna", { ...hiddenFields(text), ...wrong });
  assert.equal(refused.status, 403);
  assert.equal(fieldIn(refused.text, "p.current_password").problem, "The current password is not right");
  assert.equal(fieldIn(refused.text, "p.password").problem, "Type it again: it is not sent back.");
  assert.doesNotMatch(refused.text, /not-this-one|quiet-otter-lantern/);
});

Deno.test("a new password of one's own leads to the login, which says that it is saved, and back", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  for (const [login, current] of [["anna", PASSWORD], ["admin", `${PASSWORD}-admin`]] as const) {
    const browser = await browserOf(service, login, current);
    const { text } = await browser.get(`/userdef/${login}.html?ui.edit`);
    const typed = { "p.password": `quiet-otter-lantern-${login}`, "p.current_password": current };
    const saved = await browser.post(`/ui/userdef/${login}`, { ...hiddenFields(text), ...typed });
    assert.equal(saved.status, 303, saved.text);
    const page = await browser.get(saved.headers.get("location") ?? "");
    assert.equal(page.status, 200);
    assert.match(page.text, /The new password is saved and has ended your sessions: log in with it/);
    const fields = { ...hiddenFields(page.text), login, password: `quiet-otter-lantern-${login}` };
    const back = await browser.post("/login", fields);
    assert.equal(back.headers.get("location"), `/userdef/${login}.html?ui.done=changed`);
  }
  const admin = await browserOf(service, "admin", "quiet-otter-lantern-admin");
  const { text } = await admin.get("/userdef/anna.html?ui.edit");
  const other = { ...hiddenFields(text), "b.enabled": "true", "p.password": "quiet-otter-teapot" };
  const changed = await admin.post("/ui/userdef/anna", other);
  assert.equal(changed.headers.get("location"), "/userdef/anna.html?ui.done=changed");
});

Deno.test("a user who begins to use a database reads all of its tables; one with every right has every box checked", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await adminOf(service);
  const fresh = (await browser.get("/userdef.html?ui.new")).text;
  const box = (table: string, right: string) =>
    new RegExp(`name="m\\.\\[&quot;Demo&quot;,&quot;${table}&quot;\\]" value="${right}"[^>]* checked`);
  assert.match(fresh, box("\\*", "read"));
  assert.doesNotMatch(fresh, box("\\*", "create"));
  assert.match(fresh, box("Port", "same"));
  assert.doesNotMatch(fresh, /name="ui\.use"[^>]* checked/);
  const whole = (await browser.get("/userdef/anna.html?ui.edit")).text;
  for (const right of ["read", "delete"]) assert.match(whole, box("\\*", right));
});

/** A new key: no text of the product has so many of these characters in a row. */
const NEW_KEY = /(?:value="|: |<pre[^>]*>)([\w-]{40})[<"\n]/;

Deno.test("a key that was not stored is not shown, and one that was stored is, whatever ended meanwhile", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await browserOf(service, "anna", PASSWORD);
  const asked = { ...hiddenFields((await browser.get("/userdef/anna.html")).text), "s.name": "Anna" };
  const stranger = await new Browser(service).post("/ui/userdef/anna", asked);
  assert.equal(stranger.status, 403);
  assert.match(stranger.text, /You are no longer logged in/);
  assert.doesNotMatch(stranger.text, NEW_KEY);
  assert.doesNotMatch(stranger.text, /apikey/);
  const also = { "p.password": "quiet-otter-lantern", "p.current_password": PASSWORD };
  const made = await browser.post("/ui/userdef/anna", { ...asked, ...also });
  const [, key = ""] = NEW_KEY.exec(made.text) ?? [];
  assert.match(made.text, /This is the new API key/);
  assert.doesNotMatch(made.text, /Nothing has been changed/);
  const used = await service.fetch("/userdef/anna.json", { headers: { apikey: key } });
  assert.equal(used.status, 200, await used.text());
});
