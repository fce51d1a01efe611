/** @module Every line of the log about one request ends with its id. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { sharedService, type TestService } from "@/tests/support/service.ts";

const KEY = "administrator-0123456789-0123456789";
const PASSWORD = "harbour-lights-93";
const service = sharedService({
  files: {
    "config/users.cfg":
      `admin: {apikey: ${KEY}, password: ${PASSWORD}, databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\n`,
    "config/querydefs.cfg":
      "wrong: {database: Demo, sqlstr: SELECT nothing FROM Nowhere, execute: [public]}\n",
  },
});

const json = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) });
const login = (password: string) => json({ login: "admin", password });
const USERS = (at: TestService) => join(at.home, "config", "users.cfg");

/** The request, and the beginning of its line. */
const LINES: readonly (readonly [title: string, path: string, init: RequestInit, line: string])[] = [
  ["a key that is none", "/db.json", { headers: { apikey: "wrong" } }, "Authentication by apikey from "],
  ["a login", "/login", login(PASSWORD), 'A login of "admin" by '],
  ["a refused login", "/login", login("wrong"), 'A login of "admin" by '],
  ["a saved query that fails", "/query/wrong.json", {}, 'Query "wrong": '],
  [
    "a dialect that is not there",
    "/dbdef.json",
    { ...json({ db_id: "New", db_type: "none", db_name: "x" }), headers: { apikey: KEY } },
    'A database definition needs dialect "none": ',
  ],
  [
    "files of the configuration that cannot be changed",
    "/userdef/admin.json",
    { ...json({ name: "A" }), method: "PUT", headers: { apikey: KEY } },
    "Cannot change userdef admin: ",
  ],
];

for (const [title, path, init, line] of LINES) {
  Deno.test(title, async () => {
    const id = title.replaceAll(" ", "-");
    const isBroken = line.startsWith("Cannot change");
    const before = await Deno.readTextFile(USERS(service()));
    if (isBroken) {
      await Deno.remove(USERS(service()));
      await Deno.mkdir(USERS(service()));
    }
    const headers = { "Content-Type": "application/json", "X-Request-Id": id, ...init.headers };
    const answer = await service().fetch(path, { ...init, headers });
    const told = await answer.text();
    if (isBroken) {
      await Deno.remove(USERS(service()));
      await Deno.writeTextFile(USERS(service()), before);
    }
    const [own = "", ...others] = (await service().log()).split("\n").filter((each) =>
      each.endsWith(`(${id})`)
    );
    assert.ok(own.includes(line), `${own}${told}`);
    assert.deepEqual(others, []);
  });
}
