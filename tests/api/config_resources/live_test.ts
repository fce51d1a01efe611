import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const USERS = "public: {databases: {Demo: {access: {'*': [read]}}}}\nadmin: {}\n";
const DATABASES = "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n";

async function statusOf(service: TestService, path: string, apikey?: string): Promise<number> {
  const answer = await service.fetch(path, apikey === undefined ? {} : { headers: { apikey } });
  await answer.body?.cancel();
  return answer.status;
}

function write(service: TestService, name: string, text: string): void {
  Deno.writeTextFileSync(join(service.home, "config", name), text);
}

const INI = "[service]\nlogin_throttle.burst = 100000\n";

const START = {
  files: { "config/users.cfg": USERS, "config/databases.cfg": DATABASES, "config/service.ini": INI },
};
const start = () => startService(START);

Deno.test("users that are added, changed and removed by an editor are in force without a restart", async () => {
  await using service = await start();
  const key = "k".repeat(32);
  assert.equal(await statusOf(service, "/db/Demo.json", key), 403);
  write(service, "users.cfg", `${USERS}ann: {apikey: ${key}, databases: {Demo: {}}}\n`);
  await until(async () => await statusOf(service, "/db/Demo.json", key) === 200);
  write(service, "users.cfg", `${USERS}ann: {apikey: ${"n".repeat(32)}, databases: {Demo: {}}}\n`);
  await until(async () => await statusOf(service, "/db/Demo.json", key) === 403);
  write(service, "users.cfg", "admin: {}\n");
  await until(async () => await statusOf(service, "/db.json") === 403);
});

Deno.test("databases that are added and removed by an editor are in force, and the others stay connected", async () => {
  await using service = await start();
  write(service, "users.cfg", "public: {databases: {Demo: {}, More: {}}}\nadmin: {}\n");
  write(service, "databases.cfg", `${DATABASES}More: {db_type: sqlite, db_name: '../state/demo.db'}\n`);
  await until(async () => await statusOf(service, "/db/More/Country.json") === 200);
  write(service, "databases.cfg", DATABASES);
  await until(async () => await statusOf(service, "/db/More.json") === 404);
  assert.equal(await statusOf(service, "/db/Demo/Country.json"), 200);
});

Deno.test("a plain password that an editor writes is accepted", async () => {
  await using service = await start();
  const headers = { Authorization: `Basic ${btoa("ann:walrus-teapot-42")}` };
  write(service, "users.cfg", `${USERS}ann: {password: walrus-teapot-42, databases: {Demo: {}}}\n`);
  const login = async () => {
    const answer = await service.fetch("/db/Demo.json", { headers });
    await answer.body?.cancel();
    return answer.status === 200;
  };
  await until(login);
});

const BROKEN: readonly (readonly [title: string, text: string, complaint: RegExp])[] = [
  ["no YAML", "public: {databases: [hush", /users\.cfg: Line 1/],
  ["a member that is unknown", "public: {passwrd: hush}\n", /users\.cfg: public\.passwrd: Unknown member/],
  [
    "an environment variable that is not set",
    "public: {name: '${NOT_SET_ANYWHERE}'}\n",
    /"NOT_SET_ANYWHERE"/,
  ],
];

for (const [title, text, complaint] of BROKEN) {
  Deno.test(`a file with ${title} changes nothing but the log`, async () => {
    await using service = await start();
    write(service, "users.cfg", text);
    await until(async () => complaint.test(await service.log()));
    assert.equal(await statusOf(service, "/db/Demo/Country.json"), 200);
    assert.doesNotMatch(await service.log(), /hush/);
    write(service, "users.cfg", "admin: {}\n");
    await until(async () => await statusOf(service, "/db.json") === 403);
  });
}

Deno.test("a file that is gone, or that a failed copy has left empty, changes nothing but the log", async () => {
  await using service = await start();
  Deno.removeSync(join(service.home, "config", "users.cfg"));
  await until(async () => /users\.cfg: The file is gone/.test(await service.log()));
  assert.equal(await statusOf(service, "/db/Demo/Country.json"), 200);
  write(service, "users.cfg", USERS);
  await until(async () => (await service.log()).includes("is in order again"));
  write(service, "databases.cfg", "");
  await until(async () => /databases\.cfg: The file is gone or empty/.test(await service.log()));
  assert.equal(await statusOf(service, "/db/Demo/Country.json"), 200);
});

Deno.test("a change is in force, and told as that, where the file of the first run cannot be removed", async () => {
  const key = "k".repeat(32);
  const users = `${USERS.replace("admin: {}", "admin: {password: walrus-teapot-42}")}ann: {apikey: ${key}}\n`;
  await using service = await startService({
    files: {
      ...START.files,
      "config/users.cfg": users,
      "config/service.ini": `${INI}initial_state_path = first\n`,
      "config/first/kept": "",
    },
  });
  const complaints = async () =>
    /^rowhouse_configuration_complaints (\d+)$/m.exec(await (await service.fetch("/metrics")).text())?.[1];
  write(service, "users.cfg", `${users}bob: [`);
  await until(async () => await complaints() === "1");
  write(service, "users.cfg", users.replace("ann:", "eva:"));
  await until(async () => await complaints() === "0");
});

Deno.test("the last database may be removed over HTTP, and another one be added", async () => {
  const key = "k".repeat(32);
  await using service = await startService({
    files: { ...START.files, "config/users.cfg": USERS.replace("admin: {}", `admin: {apikey: ${key}}`) },
    isAdministered: true,
  });
  const send = async (method: string, path: string, body?: string) => {
    const headers = { apikey: key, "Content-Type": "application/json" };
    const answer = await service.fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await send("DELETE", "/dbdef/Demo.json"), 204);
  assert.equal(await statusOf(service, "/db/Demo.json"), 404);
  const demo = { db_id: "Demo", db_type: "sqlite", db_name: "../state/demo.db" };
  assert.equal(await send("POST", "/dbdef.json", JSON.stringify(demo)), 201);
  assert.equal(await statusOf(service, "/db/Demo/Country.json"), 200);
});

Deno.test("a database of a kind that there is no plugin for changes nothing but the log", async () => {
  await using service = await start();
  write(service, "databases.cfg", `${DATABASES}More: {db_type: sqlit, db_name: x}\n`);
  await until(async () => /dialect "sqlit" .* did you mean "sqlite"/.test(await service.log()));
  assert.equal(await statusOf(service, "/db/Demo/Country.json"), 200);
});

Deno.test("a dialect that no database needed at the start is loaded when one does", async () => {
  await using service = await startService({
    files: { "config/users.cfg": USERS, "config/databases.cfg": "{}\n" },
  });
  assert.equal(await statusOf(service, "/db/Demo.json"), 404);
  write(service, "databases.cfg", DATABASES);
  await until(async () => await statusOf(service, "/db/Demo/Country.json") === 200);
});

Deno.test("an answer that is being sent when its database is removed is sent to its end", async () => {
  await using service = await start();
  const answer = await service.fetch("/db/Demo/Booking.csv?stream=true");
  const reader = (answer.body ?? assert.fail("no body")).getReader();
  await reader.read();
  write(service, "databases.cfg", "{}\n");
  await until(async () => await statusOf(service, "/db/Demo.json") === 404);
  let text = "";
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value);
  }
  assert.ok(text.endsWith("\r\n"));
});

Deno.test("every worker sees a change", async () => {
  await using service = await startProcess({ ...START, args: ["--workers", "3"] });
  const key = "w".repeat(32);
  write(service, "users.cfg", `${USERS}ann: {apikey: ${key}, databases: {Demo: {}}}\n`);
  const asked = async () => {
    // A separate connection for each: the system chooses the worker.
    const statuses = await Promise.all(
      Array.from({ length: 24 }, () => statusOfOnce(service, "/db/Demo.json", key)),
    );
    return statuses.every((status) => status === 200);
  };
  await until(asked);
});

async function statusOfOnce(service: TestService, path: string, apikey: string): Promise<number> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const answer = await fetch(service.url + path, { headers: { apikey, Connection: "close" }, client });
  await answer.body?.cancel();
  return answer.status;
}
