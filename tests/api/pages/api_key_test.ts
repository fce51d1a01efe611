import assert from "node:assert/strict";
import { type Browser, browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { startService, type TestService } from "@/tests/support/service.ts";

const OLD = "bob-0123456789abcdef0123456789abcdef-old";

const USERS = `public: {databases: {}}
admin: {password: ${PASSWORD}-admin}
anna: {password: ${PASSWORD}, apikey: anna-0123456789abcdef0123456789abcdef, databases: {Demo: {}}}
bob: {apikey: ${OLD}, databases: {Demo: {}}}
carl: {databases: {Demo: {}}}
`;

const startHouse = () => startService(homeOf({ users: USERS }));

const adminOf = (service: TestService) => browserOf(service, "admin", `${PASSWORD}-admin`);

/** The status of a request of a program with this key. */
async function statusOf(key: string, service: TestService): Promise<number> {
  const answer = await service.fetch("/db/Demo/Port.json?limit=1", { headers: { apikey: key } });
  await answer.body?.cancel();
  return answer.status;
}

/** The key that a page shows. */
function keyIn(html: string): string | undefined {
  return /aria-label="API key">([\w-]{40})</.exec(html)?.[1];
}

/** The hidden fields of the form that a page has. */
async function formAt(path: string, browser: Browser): Promise<Record<string, string>> {
  return hiddenFields((await browser.get(path)).text);
}

const AGAIN = /Nothing has been done: the API key has changed since this form was opened/;

Deno.test("the page of a user with a key makes none at once, but leads to questions with a way back", async () => {
  await using service = await startHouse();
  const browser = await adminOf(service);
  const { text } = await browser.get("/userdef/bob.html");
  assert.doesNotMatch(text, /ui\.makekey/);
  assert.match(text, /href="\/userdef\/bob\.html\?ui\.newkey">Replace the key</);
  assert.match(text, /href="\/userdef\/bob\.html\?ui\.nokey">Remove the key</);
  const question = await browser.get("/userdef/bob.html?ui.newkey");
  assert.match(question.text, /<h1>Replace the API key of bob\?</);
  assert.match(question.text, /The present key ends at once/);
  assert.match(question.text, /<a href="\/userdef\/bob\.html">Cancel</);
  assert.match(question.text, /aria-current="page">Replace the key</);
  assert.equal(await statusOf(OLD, service), 200, "a question changes nothing");
});

Deno.test("a key is replaced by the form of its question alone, and once, however often that is sent", async () => {
  await using service = await startHouse();
  const browser = await adminOf(service);
  const fields = await formAt("/userdef/bob.html?ui.newkey", browser);
  const { "ui.keyversion": _, ...unasked } = fields;
  for (const sent of [unasked, { ...unasked, "ui.keyversion": "" }, { ...unasked, "ui.keyversion": "x" }]) {
    const refused = await browser.post("/ui/userdef/bob", sent);
    assert.equal(refused.status, 412);
    assert.match(refused.text, AGAIN);
  }
  assert.equal(await statusOf(OLD, service), 200);
  const made = await browser.post("/ui/userdef/bob", fields);
  assert.equal(made.status, 200);
  assert.match(made.text, /<h1>bob</);
  const key = keyIn(made.text) ?? "";
  assert.deepEqual([await statusOf(OLD, service), await statusOf(key, service)], [403, 200]);
  const again = await browser.post("/ui/userdef/bob", fields);
  assert.equal(again.status, 412);
  assert.match(again.text, AGAIN);
  assert.equal(keyIn(again.text), undefined);
  assert.equal(await statusOf(key, service), 200, "the key that was copied still works");
});

Deno.test("the first key needs no question, and the reload of its page makes no other", async () => {
  await using service = await startHouse();
  const browser = await adminOf(service);
  const fields = await formAt("/userdef/carl.html", browser);
  const made = await browser.post("/ui/userdef/carl", fields);
  const key = keyIn(made.text) ?? "";
  assert.equal(await statusOf(key, service), 200);
  const again = await browser.post("/ui/userdef/carl", fields);
  assert.deepEqual([again.status, keyIn(again.text)], [412, undefined]);
  assert.match(again.text, AGAIN);
  assert.match(again.text, />Replace the key</);
  assert.equal(await statusOf(key, service), 200);
});

Deno.test("a key is removed after a question, unless it has been replaced since", async () => {
  await using service = await startHouse();
  const browser = await adminOf(service);
  const removal = await formAt("/userdef/bob.html?ui.nokey", browser);
  const made = await browser.post("/ui/userdef/bob", await formAt("/userdef/bob.html?ui.newkey", browser));
  const key = keyIn(made.text) ?? "";
  assert.equal((await browser.post("/ui/userdef/bob", removal)).status, 412);
  assert.equal(await statusOf(key, service), 200);
  const removed = await browser.post("/ui/userdef/bob", await formAt("/userdef/bob.html?ui.nokey", browser));
  assert.deepEqual([removed.status, removed.headers.get("location")], [
    303,
    "/userdef/bob.html?ui.done=keyless",
  ]);
  assert.equal(await statusOf(key, service), 403);
  const { text } = await browser.get("/userdef/bob.html?ui.done=keyless");
  assert.match(text, /The API key has been removed\./);
  assert.match(text, /This account has no API key\..*>Make a new key</s);
  const gone = await browser.get("/userdef/bob.html?ui.nokey");
  assert.match(gone.text, /<h1>bob</, "there is nothing to ask");
});

Deno.test("one's own key is replaced and removed with the password, which a mistake asks for again", async () => {
  await using service = await startHouse();
  const browser = await browserOf(service, "anna", PASSWORD);
  for (const purpose of ["newkey", "nokey"]) {
    const { text } = await browser.get(`/userdef/anna.html?ui.${purpose}`);
    assert.match(text, /name="p\.current_password"/, purpose);
  }
  const fields = await formAt("/userdef/anna.html?ui.newkey", browser);
  const weak = { ...fields, "p.password": "quiet-otter-lantern", "p.current_password": "not-this-one" };
  const refused = await browser.post("/ui/userdef/anna", weak);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /<h1>Replace the API key of anna\?/);
  assert.match(refused.text, /class="complaint"[^>]*>The current password is not right</);
  const removal = await formAt("/userdef/anna.html?ui.nokey", browser);
  assert.equal((await browser.post("/ui/userdef/anna", removal)).status, 303);
});

Deno.test("attack: nobody else learns of a key or ends it by these forms", async () => {
  await using service = await startHouse();
  const browser = await browserOf(service, "anna", PASSWORD);
  const own = await formAt("/userdef/anna.html?ui.nokey", browser);
  for (const path of ["/userdef/bob.html?ui.newkey", "/userdef/bob.html?ui.nokey"]) {
    assert.equal((await browser.get(path)).status, 403, path);
  }
  const answers = await Promise.all(["bob", "carl", "nobody"].map(async (login) => {
    const { status, text } = await browser.post(`/ui/userdef/${login}`, own);
    return [status, text.replaceAll(login, "").replace(/request <code>.*?<\/code>/, "")];
  }));
  assert.equal(answers[0]?.[0], 403);
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
  assert.equal(await statusOf(OLD, service), 200);
});
