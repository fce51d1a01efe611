import assert from "node:assert/strict";
import { join } from "node:path";
import { loadSecrets, randomToken } from "@/core/identity/sessions/secret.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";

const NONE = { "session.secret": undefined, "session.secret_previous": undefined };
const hex = (key: Uint8Array | undefined) => key && Buffer.from(key).toString("hex");

Deno.test("a secret that is not configured is made once, for its owner only", async () => {
  using directory = new TestDirectory();
  const first = await loadSecrets(NONE, directory.path);
  const second = await loadSecrets(NONE, directory.path);
  assert.equal(hex(first("cookie")[0]), hex(second("cookie")[0]));
  assert.match(directory.read("session.secret"), /^[\w-]{43}\n$/);
  assert.equal((Deno.statSync(directory.file("session.secret")).mode ?? 0) & 0o777, 0o600);
  assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name), ["session.secret"]);
});

Deno.test("processes that start at once get the same secret", async () => {
  using directory = new TestDirectory();
  const state = join(directory.path, "not", "there", "yet");
  const loaded = await Promise.all(Array.from({ length: 20 }, () => loadSecrets(NONE, state)));
  assert.equal(new Set(loaded.map((derive) => hex(derive("cookie")[0]))).size, 1);
});

Deno.test("a file system without hard links keeps a secret, too", async () => {
  using directory = new TestDirectory();
  const { link } = Deno;
  Deno.link = () => Promise.reject(new Deno.errors.NotSupported("Operation not supported (os error 95)"));
  try {
    const first = await loadSecrets(NONE, directory.path);
    assert.equal(hex((await loadSecrets(NONE, directory.path))("cookie")[0]), hex(first("cookie")[0]));
    assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name), ["session.secret"]);
  } finally {
    Deno.link = link;
  }
});

Deno.test("two services do not get the same secret", async () => {
  using one = new TestDirectory();
  using other = new TestDirectory();
  const [first, second] = await Promise.all([loadSecrets(NONE, one.path), loadSecrets(NONE, other.path)]);
  assert.notEqual(hex(first("cookie")[0]), hex(second("cookie")[0]));
});

Deno.test("a secret that somebody shortened stops the start and is not shown", async () => {
  using directory = new TestDirectory({ "session.secret": "hush\n" });
  await assert.rejects(loadSecrets(NONE, directory.path), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^The secret in ".*session\.secret" is too short: remove the file/);
    assert.doesNotMatch(error.message, /hush/);
    return true;
  });
});

Deno.test("a configured secret makes no file", async () => {
  using directory = new TestDirectory();
  await loadSecrets({ ...NONE, "session.secret": "configured" }, directory.path);
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});

Deno.test("purposes and secrets each have a key of their own", async () => {
  const derive = await loadSecrets({ "session.secret": "a", "session.secret_previous": "b" }, "/nowhere");
  const keys = (["cookie", "fingerprint", "throttle", "form", "state"] as const).flatMap((purpose) => {
    const [current, previous] = derive(purpose);
    return [hex(current), hex(previous)];
  });
  assert.equal(new Set(keys).size, 10);
  assert.equal(keys.every((key) => key?.length === 64), true);
});

Deno.test("keys follow from the secret alone, so that nodes with the same one agree", async () => {
  const derive = await loadSecrets({ ...NONE, "session.secret": "shared" }, "/nowhere");
  const again = await loadSecrets({ ...NONE, "session.secret": "shared" }, "/elsewhere");
  assert.equal(hex(derive("cookie")[0]), hex(again("cookie")[0]));
  assert.equal(derive("cookie")[1], undefined);
});

Deno.test("random tokens have the length that was asked for and are good for cookies", () => {
  assert.match(randomToken(32), /^[\w-]{43}$/);
  assert.notEqual(randomToken(32), randomToken(32));
});
