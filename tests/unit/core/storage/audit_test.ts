import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { auditLine, openAudit } from "@/core/storage/audit.ts";

/** Milliseconds after which a removal is noticed. */
const NOTICED = 150;
const AT = new Date("2026-02-03T04:05:06.789Z");

Deno.test("an event is one line of JSON with its members in a fixed order", () => {
  assert.equal(
    auditLine({ outcome: "refused", action: "login", user: "bob", address: "10.0.0.1", reason: "no" }, AT),
    '{"at":"2026-02-03T04:05:06.789Z","user":"bob","action":"login","outcome":"refused","address":"10.0.0.1","reason":"no"}\n',
  );
});

const HOSTILE: readonly (readonly [title: string, text: string])[] = [
  ["line breaks", 'bob"}\r\n{"user":"admin","outcome":"success"}'],
  ["line separators of Unicode", "bob\u2028admin\u2029admin\u0085admin"],
  ["codes for terminals", "bob\x1b[2Kadmin\x7f\x9b31m"],
  ["half a character", "bob\ud83d"],
  ["text from right to left", "bob\u202enimda"],
];

for (const [title, user] of HOSTILE) {
  Deno.test(`a name with ${title} stays inside its line`, () => {
    const line = auditLine({ action: "login", outcome: "refused", user }, AT);
    assert.match(line, /^[\x20-\x7e]+\n$/);
    assert.equal(JSON.parse(line).user, user);
    assert.equal(JSON.parse(line).outcome, "refused");
  });
}

Deno.test("long values are cut, and no line is longer than a kilobyte", () => {
  for (const character of ["x", "\0", "é", '"', "\u{1f600}"]) {
    const text = character.repeat(50_000);
    const line = auditLine({
      action: "authenticate",
      outcome: "refused",
      user: text,
      target: text,
      reason: text,
      method: "DELETE",
      status: 403,
      address: "2001:0db8:0000:0000:0000:ff00:0042:8329",
      requestId: "x".repeat(64),
    }, AT);
    assert.equal(line.length <= 1024, true, `${line.length} for ${character}`);
    assert.equal(JSON.parse(line).user.startsWith(character), true);
  }
  const { user } = JSON.parse(auditLine({ action: "login", outcome: "refused", user: "x".repeat(201) }, AT));
  assert.equal(user, `${"x".repeat(200)}...`);
});

Deno.test("the log is put aside when it has grown, and only so many are kept", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  try {
    // An earlier configuration kept more.
    for (const number of [1, 2, 3, 4]) Deno.writeTextFileSync(join(directory, `audit.log.${number}`), "");
    using audit = openAudit(directory, { maxSize: 300, kept: 2 });
    for (let number = 0; number < 20; number++) {
      audit.record({ action: "write", outcome: "success", target: `/db/X/${number}` });
      await undefined;
    }
    const names = [...Deno.readDirSync(directory)].map(({ name }) => name).toSorted();
    assert.deepEqual(names, ["audit.log", "audit.log.1", "audit.log.2", "audit.log.lock"]);
    const read = (name: string) => Deno.readTextFileSync(join(directory, name));
    const numbers = ["audit.log.2", "audit.log.1", "audit.log"].flatMap((name) =>
      read(name).split("\n").filter((line) => line !== "").map((line) =>
        Number(JSON.parse(line).target.slice(6))
      )
    );
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => (numbers[0] ?? NaN) + index),
      "nothing of what is kept is lost",
    );
    assert.equal(numbers.at(-1), 19);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("a log that somebody has removed, even with its directory, is begun anew soon", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  try {
    const path = join(directory, "log");
    using audit = openAudit(path, { maxSize: 100_000, kept: 2 });
    const targets = () =>
      Deno.readTextFileSync(join(path, "audit.log")).trimEnd().split("\n").map((line) =>
        JSON.parse(line).target
      );
    audit.record({ action: "write", outcome: "success", target: "/1" });
    await undefined;
    Deno.removeSync(join(path, "audit.log"));
    await delay(NOTICED);
    audit.record({ action: "write", outcome: "success", target: "/2" });
    audit.record({ action: "write", outcome: "success", target: "/3" });
    await undefined;
    assert.deepEqual(targets(), ["/2", "/3"]);
    Deno.removeSync(path, { recursive: true });
    await delay(NOTICED);
    audit.record({ action: "write", outcome: "success", target: "/4" });
    await undefined;
    assert.deepEqual(targets(), ["/4"]);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("lines of one moment are written together, before an answer that follows them", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  try {
    const audit = openAudit(directory, { maxSize: 100_000, kept: 2 });
    const read = () => Deno.readTextFileSync(join(directory, "audit.log"));
    const request = async (target: string) => {
      await undefined;
      audit.record({ action: "write", outcome: "success", target });
    };
    let seen = "";
    const [first] = [request("/1").then(() => seen = read()), request("/2")];
    await first;
    assert.equal(seen.match(/"target"/g)?.length, 2);
    audit.record({ action: "write", outcome: "success", target: "/3" });
    audit[Symbol.dispose]();
    assert.equal(read().trimEnd().split("\n").length, 3, "the last lines of a service that ends");
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("several writers of one log lose nothing when it is put aside", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-test-" });
  try {
    using first = openAudit(directory, { maxSize: 400, kept: 100 });
    using second = openAudit(directory, { maxSize: 400, kept: 100 });
    for (let number = 0; number < 50; number++) {
      (number % 3 === 0 ? first : second).record({
        action: "write",
        outcome: "success",
        target: `${number}`,
      });
      await undefined;
    }
    const lines = [...Deno.readDirSync(directory)].filter(({ name }) => !name.endsWith(".lock"))
      .flatMap(({ name }) => Deno.readTextFileSync(join(directory, name)).trimEnd().split("\n"))
      .filter((line) => line !== "");
    const found = lines.map((line) => Number(JSON.parse(line).target)).toSorted((a, b) => a - b);
    assert.deepEqual(found, Array.from({ length: 50 }, (_, number) => number));
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
