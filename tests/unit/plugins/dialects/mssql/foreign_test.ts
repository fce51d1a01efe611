/** @module Servers that are no SQL Server, or say nothing: the reason says so. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { configurationOf } from "@/plugins/dialects/mssql/options.ts";
import { Session } from "@/plugins/dialects/mssql/session.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { inTime } from "@/tests/support/until.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { type Script, SILENCE, startPeer } from "./peer.ts";

/** Connects to a server that treats its clients like this, and gives up after a second. */
async function connectTo(treat: (socket: Socket) => void): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    treat(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const definition = definitionOn(new URL(`mssql://localhost:${port}`), "shop");
  const pool = { ...definition.pool, acquireTimeout: 1 };
  const login = { dbuser: "anna", dbpass: "secret" };
  const configuration = configurationOf({ ...definition, pool }, login, { encrypt: false });
  try {
    (await Session.open({ configuration, lockTimeout: 1000 })).end();
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  }
}

const FOREIGN = {
  message: "The server does not speak TDS, the protocol of SQL Server",
  failure: "unavailable",
};

Deno.test("mssql: a server that answers in another protocol is no SQL Server", async () => {
  const answer = (socket: Socket) =>
    void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n"));
  await assert.rejects(connectTo(answer), FOREIGN);
});

Deno.test("mssql: a server that speaks first is no SQL Server", async () => {
  await assert.rejects(connectTo((socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n")), FOREIGN);
});

Deno.test("mssql: a server that says nothing is named with the wait for a connection", async () => {
  const silent = { message: "The server did not answer within 1 s", failure: "unavailable" };
  await assert.rejects(connectTo(() => {}), silent);
});

Deno.test("mssql: a server that has answered nothing for ten seconds is gone", async () => {
  let script: Script = () => undefined;
  await using peer = await startPeer((request) => script(request));
  await using database = await dialect().connect(definitionOn(peer.url, "shop"), loginOf(peer.url), {
    signal: NEVER,
  });
  assert.equal(await database.check(), "ok");
  script = () => SILENCE;
  assert.equal(await inTime(database.check(), "The end of the check"), "gone");
});
