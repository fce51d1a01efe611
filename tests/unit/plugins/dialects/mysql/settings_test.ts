import assert from "node:assert/strict";
import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { readEncryption } from "@/plugins/dialects/mysql/encryption.ts";
import { addressOf, connectionOptions, remarksOn } from "@/plugins/dialects/mysql/options.ts";
import { complaintAbout, readServer, sessionSettings } from "@/plugins/dialects/mysql/server.ts";
import { definitionOf } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";

const PLACE = { host: "db.internal", port: 3307 };
const LOGIN = { dbuser: "ann", dbpass: "s3cret" };

function definition(changes: Partial<DatabaseDefinition> = {}): DatabaseDefinition {
  return { ...definitionOf(PLACE, "shop"), ...changes };
}

const VERSIONS: readonly (readonly [string, string, readonly number[], boolean])[] = [
  ["8.0.11", "mysql", [8, 0, 11], true],
  ["8.4.3-commercial", "mysql", [8, 4, 3], true],
  ["9.1.0", "mysql", [9, 1, 0], true],
  ["5.7.44-log", "mysql", [5, 7, 44], false],
  ["10.6.0-MariaDB", "mariadb", [10, 6, 0], true],
  ["10.11.19-MariaDB-0+deb12u1", "mariadb", [10, 11, 19], true],
  ["5.5.5-10.6.12-MariaDB-log", "mariadb", [10, 6, 12], true],
  ["11.4.2-MariaDB", "mariadb", [11, 4, 2], true],
  ["10.5.27-MariaDB", "mariadb", [10, 5, 27], false],
  ["something else", "mysql", [0, 0, 0], false],
];

for (const [text, flavour, version, isSupported] of VERSIONS) {
  Deno.test(`mysql: version ${text} is ${flavour}${isSupported ? "" : ", and too old"}`, () => {
    const server = readServer(text);
    assert.deepEqual([server.flavour, server.version], [flavour, version]);
    assert.equal(complaintAbout(server, text) === undefined, isSupported);
  });
}

Deno.test("mysql: how long a statement may take is told in the server's own way", () => {
  const settings = { ...POOL, statementTimeout: 1.5 };
  assert.match(sessionSettings(readServer("8.4.3"), settings), /\bmax_execution_time = 1500\b/);
  assert.match(
    sessionSettings(readServer("10.11.6-MariaDB"), settings),
    /\bmax_statement_time = 1\.5\b/,
  );
  assert.match(
    sessionSettings(readServer("8.4.3"), { ...POOL, statementTimeout: 0 }),
    /\bmax_execution_time = 0\b.*\bnet_write_timeout = 31536000\b/,
  );
});

const WAITS: readonly (readonly [statementTimeout: number, idleTimeout: number, wait: number])[] = [
  [30, 10, 60],
  [1.5, 600, 630],
  [0, 10, 2_147_483],
  [1, 1e9, 2_147_483],
];

Deno.test("mysql: the server keeps a connection for longer than it may rest", () => {
  for (const [statementTimeout, idleTimeout, wait] of WAITS) {
    const text = sessionSettings(readServer("8.4.3"), { ...POOL, statementTimeout, idleTimeout });
    assert.match(text, new RegExp(`\\bwait_timeout = ${wait}$`));
  }
});

Deno.test("mysql: a host that starts with a slash is a socket", () => {
  assert.deepEqual(addressOf(definition()), { host: "db.internal", port: 3307 });
  assert.deepEqual(addressOf(definition({ dbHost: "/run/mysqld.sock" })), { path: "/run/mysqld.sock" });
  const { dbHost: _host, dbPort: _port, ...local } = definition();
  assert.deepEqual(addressOf(local), { host: "127.0.0.1", port: 3306 });
});

Deno.test("mysql: a server can neither read files here nor be sent two statements at once", () => {
  const options = connectionOptions(definition(), LOGIN, undefined);
  assert.deepEqual(options.flags, ["FOUND_ROWS", "-LOCAL_FILES", "-IGNORE_SPACE"]);
  assert.equal(options.multipleStatements, undefined);
  assert.deepEqual([options.user, options.password, options.database], ["ann", "s3cret", "shop"]);
  assert.equal(options.ssl, undefined);
});

Deno.test("mysql: settings without an effect are remarked on", () => {
  assert.deepEqual(remarksOn(definition()), []);
  for (const dbEncoding of ["utf8", "UTF-8", "utf8mb4"]) {
    assert.deepEqual(remarksOn(definition({ dbEncoding })), []);
  }
  assert.match(remarksOn(definition({ dbEncoding: "latin1" })).join(), /^db_encoding "latin1" is not needed/);
  assert.match(remarksOn(definition({ prepare: false })).join(), /^prepare: false has no effect/);
});

const VERIFIED = { verifyIdentity: true, rejectUnauthorized: true };

Deno.test("mysql: encryption checks who answers unless it is told not to", async () => {
  assert.equal(await readEncryption(undefined, "/"), undefined);
  assert.equal(await readEncryption(false, "/"), undefined);
  assert.deepEqual(await readEncryption(true, "/"), VERIFIED);
  assert.deepEqual(await readEncryption({}, "/"), VERIFIED);
  assert.deepEqual(await readEncryption({ verifyIdentity: false, minVersion: "TLSv1.3" }, "/"), {
    ...VERIFIED,
    verifyIdentity: false,
    minVersion: "TLSv1.3",
  });
});

Deno.test("mysql: certificates are given as text or as the name of a file", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-mysql-" });
  const text = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n";
  await Deno.writeTextFile(`${directory}/ca.pem`, text);
  assert.deepEqual(await readEncryption({ ca: "ca.pem", cert: text }, directory), {
    ...VERIFIED,
    ca: text,
    cert: text,
  });
  await assert.rejects(
    readEncryption({ key: "missing.pem" }, directory),
    /^TypeError: ssl\.key names a file that cannot be read: "missing\.pem"$/,
  );
  await Deno.remove(directory, { recursive: true });
});

Deno.test("mysql: a setting for encryption that is unknown stops the connection: it may have been meant to protect", async () => {
  for (
    const ssl of [{ rejectUnauthorised: true }, { rejectUnauthorized: "no" }, { ca: 5 }, { toString: true }]
  ) {
    await assert.rejects(readEncryption(ssl, "/"), /is no setting of MySQL, or not of its type/);
  }
  for (const ssl of ["require", 1, []]) {
    await assert.rejects(readEncryption(ssl, "/"), /neither true, false nor a map/);
  }
});

Deno.test("mysql: a certificate is checked by the server's name, so there has to be one", async () => {
  for (const dbHost of ["10.0.0.5", "::1", "/run/mysqld.sock"]) {
    const options = async (ssl: unknown) =>
      connectionOptions(definition({ dbHost, ssl }), LOGIN, await readEncryption(ssl, "/"));
    await assert.rejects(
      options(true),
      /give the name as db_host, or set ssl\.verifyIdentity to false/,
      dbHost,
    );
    assert.equal(
      (await options({ verifyIdentity: false })).host,
      dbHost.startsWith("/") ? undefined : dbHost,
    );
  }
  assert.equal(connectionOptions(definition({ ssl: true }), LOGIN, VERIFIED).host, "db.internal");
});
