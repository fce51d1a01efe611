import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { configurationOf } from "@/plugins/dialects/mssql/options.ts";
import { Session } from "@/plugins/dialects/mssql/session.ts";
import { until } from "@/tests/support/until.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { SILENCE, startPeer } from "./peer.ts";
import { done, error, NO_ENCRYPTION, ONLY_ENCRYPTION, packet } from "./tokens.ts";

const REFUSAL = packet(error(18456, "Login failed for user 'nobody'."), done("done", 2));

/** A server that refuses every login, and closes with its last word. */
async function refuse(socket: Socket, seen: { logins: number }): Promise<void> {
  await once(socket, "data");
  socket.write(NO_ENCRYPTION);
  await once(socket, "data");
  seen.logins++;
  socket.end(REFUSAL);
}

Deno.test("mssql: a server that wants encryption is told about with the service's own setting", async () => {
  const server = createServer((socket) => void socket.once("data", () => socket.write(ONLY_ENCRYPTION)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const definition = definitionOn(new URL(`mssql://localhost:${port}`), "shop");
  const configuration = configurationOf(definition, { dbuser: "nobody", dbpass: "secret" }, {
    encrypt: false,
  });
  await assert.rejects(
    Session.open({ configuration, lockTimeout: 1000 }),
    { message: "Cannot connect: Server requires encryption; set `ssl: true`" },
  );
  server.close();
  await once(server, "close");
});

Deno.test("mssql: a login is refused in one attempt, although the server closes at once", async () => {
  const seen = { logins: 0 };
  const server = createServer((socket) => void refuse(socket, seen)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const definition = definitionOn(new URL(`mssql://localhost:${port}`), "shop");
  const configuration = configurationOf(definition, { dbuser: "nobody", dbpass: "secret" }, {
    encrypt: false,
  });
  for (let attempt = 1; attempt <= 10; attempt++) {
    await assert.rejects(
      Session.open({ configuration, lockTimeout: 1000 }),
      (error) => error instanceof DatabaseFailure && error.failure === "login",
    );
    assert.equal(seen.logins, attempt, "accounts are locked after some attempts");
  }
  server.close();
  await once(server, "close");
});

Deno.test("mssql: connecting ends with its signal, although the server says nothing after the login", async () => {
  await using peer = await startPeer((request) => request === "sp_executesql" ? SILENCE : undefined);
  const given = new AbortController();
  const { signal } = given;
  const connecting = dialect().connect(definitionOn(peer.url, "shop"), loginOf(peer.url), { signal });
  await until(() => peer.requests.length > 0);
  given.abort(new Error("The database was deleted"));
  await assert.rejects(connecting, { message: "The database was deleted" });
});
