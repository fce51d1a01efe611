import assert from "node:assert/strict";
import { join } from "node:path";
import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { readEncryption } from "@/plugins/dialects/postgresql/encryption.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { startServer, type TestServer, whyNoOwnServer } from "@/tests/support/servers/mod.ts";
import { asServerUser, findProgram, makeServerDirectory, run } from "@/tests/support/servers/programs.ts";
import { makePlace, type Place, placeOf, testOnServer } from "./fixture.ts";
import { ENDLESS } from "./tables.ts";

const WHY_NOT = whyNoOwnServer("postgresql") ??
  (findProgram("openssl") ? undefined : "openssl is not installed");
const PLAIN = "The server offers no encryption, and ssl asks for it";
const UNVERIFIED = /certificate|self.signed|altnames|issuer/i;

Deno.test({
  name: `connections are encrypted as ssl asks${WHY_NOT ? ` (${WHY_NOT})` : ""}`,
  ignore: WHY_NOT !== undefined,
  async fn() {
    await using certificate = await makeCertificate();
    await using server = await startServer("postgresql");
    await encrypt(server, certificate);
    const dbName = await server.createDatabase("pg_encryption");
    await using place = placeOf(server, dbName);
    const { file } = certificate;
    const pem = await Deno.readTextFile(file);
    const cases: readonly (readonly [unknown, string, boolean | RegExp])[] = [
      [false, "localhost", false],
      ["disable", "localhost", false],
      ["prefer", "localhost", true],
      ["require", "127.0.0.1", true],
      [true, "localhost", UNVERIFIED],
      ["verify-full", "localhost", UNVERIFIED],
      ["verify-ca", "localhost", UNVERIFIED],
      [{ rejectUnauthorized: false }, "127.0.0.1", true],
      [{ ca: file }, "localhost", true],
      [{ ca: pem }, "localhost", true],
      [{ ca: file }, "127.0.0.1", UNVERIFIED],
      [{}, "localhost", UNVERIFIED],
    ];
    for (const [ssl, dbHost, expected] of cases) {
      const encrypted = await isEncrypted(place, { ssl, dbHost });
      if (expected instanceof RegExp) assert.match(String(encrypted), expected, JSON.stringify(ssl));
      else assert.equal(encrypted, expected, JSON.stringify(ssl));
    }
    await cancels(place, { ssl: { ca: file }, dbHost: "localhost" });
  },
});

testOnServer("a server without encryption is refused where ssl asks for it", async () => {
  await using place = await makePlace("plain");
  assert.equal(await isEncrypted(place, { ssl: "prefer" }), false);
  for (const ssl of ["require", true, { rejectUnauthorized: false }]) {
    assert.equal(await isEncrypted(place, { ssl }), PLAIN);
  }
});

const WRONG: readonly (readonly [unknown, RegExp])[] = [
  ["yes", /none of true, false, disable, allow/],
  [5, /none of true, false/],
  [["require"], /none of true, false/],
  [{ cacert: "x" }, /ssl\.cacert is none of ca, cert, key, rejectUnauthorized/],
  [{ rejectUnauthorized: "no" }, /neither true nor false/],
  [{ ca: 5 }, /ssl\.ca is neither PEM text/],
  [{ key: "no_such_file.pem" }, /ssl\.key names a file that cannot be read: "no_such_file\.pem"/],
];

for (const [ssl, message] of WRONG) {
  Deno.test(`ssl ${JSON.stringify(ssl)} is refused with a reason`, async () => {
    await assert.rejects(readEncryption(ssl, "/nowhere"), message);
  });
}

/** Tells whether the server calls the connection encrypted, or why there is no connection. */
async function isEncrypted(place: Place, changes: Partial<DatabaseDefinition>): Promise<unknown> {
  try {
    const database = await place.connect(changes);
    const sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    const prepared = database.prepare({ sql, columns: [{ type: "boolean", declaredType: "" }] });
    const [[[ssl] = []] = []] = await database.read([{ prepared, parameters: [] }], { signal: NEVER });
    await database[Symbol.asyncDispose]();
    return ssl;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

/** Requests to cancel go the same way. */
async function cancels(place: Place, changes: Partial<DatabaseDefinition>): Promise<void> {
  const database = await place.connect(changes);
  const prepared = database.prepare({ sql: ENDLESS, columns: [{ type: "integer", declaredType: "" }] });
  const controller = new AbortController();
  const read = Promise.resolve(database.read([{ prepared, parameters: [] }], { signal: controller.signal }));
  const running =
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%1000000000000%' " +
    "AND pid <> pg_backend_pid()";
  while (await place.change(running) !== "1\n");
  controller.abort(new Error("The client has gone"));
  await assert.rejects(read, /client has gone/);
  while (await place.change(running) !== "0\n");
}

interface Certificate extends AsyncDisposable {
  readonly file: string;
  readonly key: string;
}

/** Self-signed, for `localhost`. */
async function makeCertificate(): Promise<Certificate> {
  const directory = join(await Deno.makeTempDir({ prefix: "rowhouse-tls-" }), "run");
  await Deno.chmod(join(directory, ".."), 0o755);
  await makeServerDirectory(directory);
  const file = join(directory, "server.pem");
  const key = join(directory, "server.key");
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    ...names,
    "-keyout",
    key,
    "-out",
    file,
  ];
  await run(asServerUser([findProgram("openssl") ?? "openssl", ...made]));
  return {
    file,
    key,
    [Symbol.asyncDispose]: () => Deno.remove(join(directory, ".."), { recursive: true }),
  };
}

async function encrypt(server: TestServer, { file, key }: Certificate): Promise<void> {
  for (const [name, value] of [["ssl_cert_file", file], ["ssl_key_file", key], ["ssl", "on"]]) {
    await server.exec(`ALTER SYSTEM SET ${name} = '${value}';`);
  }
  await server.exec("SELECT pg_reload_conf();");
  while ((await server.exec("SHOW ssl;")).trim() !== "on");
}
