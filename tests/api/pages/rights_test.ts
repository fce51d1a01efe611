/** @module A form may do what the request of a program may do, whatever rights its sender has. */

import assert from "node:assert/strict";
import { Browser, browserOf, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sharedService, startService } from "@/tests/support/service.ts";

/** Rights on the table, by the login that has them. */
const RIGHTS = {
  public: ["read", "create"],
  nobody: [],
  reader: ["read"],
  creator: ["read", "create"],
  changer: ["read", "update"],
  remover: ["read", "delete"],
  writer: ["create", "update", "delete"],
  editor: ["read", "create", "update", "delete"],
} as const;
type Login = keyof typeof RIGHTS;
const LOGINS = Object.keys(RIGHTS) as Login[];

const keyOf = (login: Login) => `${login}-0123456789abcdef0123456789abcdef`;
const secretsOf = (login: Login) =>
  login === "public" ? "" : `password: ${PASSWORD}, apikey: ${keyOf(login)}, `;
const USERS = [
  `admin: {password: ${PASSWORD}-admin}`,
  ...LOGINS.map((login) =>
    `${login}: {${secretsOf(login)}databases: {Demo: {access: {Amenity: [${RIGHTS[login].join(", ")}]}}}}`
  ),
  "",
].join("\n");

const service = sharedService(homeOf({ users: USERS }));

/** Forms, each with the request that does the same. Only callers who may read a record may name it. */
const CHANGES = [
  { form: "new", method: "POST", needs: ["create"] },
  { form: "edit", method: "PUT", needs: ["read", "update"] },
  { form: "delete", method: "DELETE", needs: ["read", "delete"] },
] as const;

const newName = () => crypto.randomUUID();

async function program(login: Login, method: string, path: string): Promise<Response> {
  const answer = await service().fetch(`${path}.json`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(login === "public" ? {} : { apikey: keyOf(login) }),
    },
    ...(method === "DELETE" ? {} : { body: JSON.stringify({ Name: newName() }) }),
  });
  await answer.body?.cancel();
  return answer;
}

/** Creates a record and returns its path. */
async function newRecord(): Promise<string> {
  const answer = await program("editor", "POST", "/db/Demo/Amenity");
  return new URL(answer.headers.get("location") ?? "").pathname.replace(/\.json$/, "");
}

for (const login of LOGINS) {
  Deno.test(`forms of ${login} do what requests of ${login} do`, async () => {
    const browser = login === "public" ? new Browser(service()) : await browserOf(service(), login, PASSWORD);
    for (const { form, method, needs } of CHANGES) {
      const newPath = () => method === "POST" ? Promise.resolve("/db/Demo/Amenity") : newRecord();
      const { status } = await program(login, method, await newPath());
      const sent = await browser.post(`/ui${await newPath()}`, {
        "ui.method": method,
        "ui.page": form,
        ...(method === "DELETE" ? {} : { "c.Name": newName() }),
      });
      const may = needs.every((need) => RIGHTS[login].some((right) => right === need));
      assert.equal(sent.status, may ? 303 : 403, `${form}: ${sent.text}`);
      assert.equal(status === 201 || status === 204 ? 303 : status, sent.status, form);
    }
  });
}

Deno.test("a table without a key tells who may change its records why they have no page", async () => {
  const access = {
    reader: "read",
    changer: "read, update",
    remover: "read, delete",
    creator: "read, create",
  };
  const users = Object.entries(access).map(([login, rights]) =>
    `${login}: {password: ${PASSWORD}, databases: {Heap: {access: {"*": [${rights}]}}}}\n`
  );
  const home = homeOf({ users: `admin: {password: ${PASSWORD}-admin}\n${users.join("")}` });
  await using heap = await startService({
    ...home,
    files: { ...home.files, "config/databases.cfg": "Heap: {db_type: sqlite, db_name: ../state/heap.db}\n" },
    sqlite: {
      Heap: "CREATE TABLE heap (name TEXT); CREATE TABLE keyed (id INTEGER PRIMARY KEY); " +
        "CREATE VIEW names AS SELECT name FROM heap; INSERT INTO heap VALUES ('a')",
    },
  });
  const told: Record<string, readonly boolean[]> = {};
  for (const login of Object.keys(access)) {
    const browser = await browserOf(heap, login, PASSWORD);
    const pages = ["heap", "keyed", "names"].map((table) => browser.get(`/db/Heap/${table}.html?limit=5`));
    told[login] = (await Promise.all(pages)).map(({ text }) => /has no key, so its records/.test(text));
  }
  const [alone, none] = [[true, false, false], [false, false, false]];
  assert.deepEqual(told, { reader: none, changer: alone, remover: alone, creator: none });
});

Deno.test("the page of a database tells on how many tables a user has rights", async () => {
  const admin = await browserOf(service(), "admin", `${PASSWORD}-admin`);
  const { text } = await admin.get("/dbdef/Demo.html");
  const rights = [...text.matchAll(/>(\w+)<\/a><\/td><td>([^<]*)</g)].map(([, login, told]) => [login, told]);
  assert.deepEqual(
    rights,
    LOGINS.map((login) => [login, login === "nobody" ? "none" : "rights on 1 table"]),
  );
});
