import assert from "node:assert/strict";
import { join } from "node:path";
import { readEncryption } from "@/plugins/dialects/mssql/encryption.ts";
import { configurationOf } from "@/plugins/dialects/mssql/options.ts";
import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { definitionOn } from "./fixture.ts";

const LOGIN = { dbuser: "anna", dbpass: "secret" };

async function optionsOf(changes: Partial<DatabaseDefinition> = {}, directory = Deno.cwd()) {
  const definition = definitionOn(new URL("mssql://db.example:1444"), "shop", changes);
  return configurationOf(definition, LOGIN, await readEncryption(definition.ssl, directory));
}

Deno.test("a definition says where and as whom to connect", async () => {
  const { server, authentication, options } = await optionsOf();
  assert.equal(server, "db.example");
  assert.deepEqual(authentication?.options, { userName: "anna", password: "secret" });
  assert.deepEqual([options?.port, options?.database, options?.useUTC], [1444, "shop", true]);
});

Deno.test("a definition without a port means the usual one", () => {
  const { dbPort: _, ...rest } = definitionOn(new URL("mssql://db.example"), "shop");
  assert.equal(configurationOf(rest, LOGIN, {}).options?.port, 1433);
});

const SSL: readonly (readonly [unknown, Readonly<Record<string, unknown>>])[] = [
  [undefined, { encrypt: false }],
  [false, { encrypt: false }],
  [true, { encrypt: true }],
  [{}, { encrypt: true, trustServerCertificate: false }],
  [{ verify: false }, { encrypt: true, trustServerCertificate: true }],
  [{ strict: true }, { encrypt: "strict", trustServerCertificate: false }],
  [{ server_name: "db.internal" }, { encrypt: true, serverName: "db.internal" }],
  [{ ca: "-----BEGIN CERTIFICATE-----" }, {
    encrypt: true,
    cryptoCredentialsDetails: { ca: "-----BEGIN CERTIFICATE-----" },
  }],
];

for (const [ssl, expected] of SSL) {
  Deno.test(`ssl ${JSON.stringify(ssl)} becomes ${JSON.stringify(expected)}`, async () => {
    const { options = {} } = await optionsOf({ ssl });
    const found = Object.entries(options).filter(([key]) => key in expected);
    assert.deepEqual(Object.fromEntries(found), expected);
  });
}

Deno.test("certificates are read from a file beside the configuration", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-mssql-" });
  try {
    await Deno.writeTextFile(join(directory, "ca.pem"), "the certificate");
    const { options } = await optionsOf({ ssl: { ca: "ca.pem" } }, directory);
    assert.deepEqual(options?.cryptoCredentialsDetails, { ca: "the certificate" });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

for (const ssl of ["yes", [], { verify: "no" }, { ca: "" }, { cert: "x" }]) {
  Deno.test(`ssl ${JSON.stringify(ssl)} is refused and the key named`, async () => {
    await assert.rejects(optionsOf({ ssl }), /Cannot use "ssl/);
  });
}
