import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { MssqlFailure } from "@/plugins/dialects/mssql/failures.ts";
import { configurationOf } from "@/plugins/dialects/mssql/options.ts";
import { Session } from "@/plugins/dialects/mssql/session.ts";
import { definitionOn, QUIET } from "./mssql_fixture.ts";

/** Answers to PRELOGIN and LOGIN7, as the protocol [MS-TDS] has them. */
const RESPONSE = 4;
const NO_ENCRYPTION = packet(Buffer.from([1, 0, 6, 0, 1, 0xff, 2]));
const REFUSAL = packet(Buffer.concat([errorToken(18456, "Login failed for user 'nobody'."), doneToken()]));

function packet(payload: Uint8Array): Uint8Array {
  const header = Buffer.from([RESPONSE, 1, 0, 0, 0, 0, 1, 0]);
  header.writeUInt16BE(payload.length + header.length, 2);
  return Buffer.concat([header, payload]);
}

function errorToken(number: number, message: string): Uint8Array {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(number, 0);
  head.writeUInt8(1, 4);
  head.writeUInt8(14, 5);
  head.writeUInt16LE(message.length, 6);
  const body = Buffer.concat([head, Buffer.from(message, "utf16le"), Buffer.from([0, 0, 1, 0, 0, 0])]);
  const start = Buffer.from([0xaa, 0, 0]);
  start.writeUInt16LE(body.length, 1);
  return Buffer.concat([start, body]);
}

function doneToken(): Uint8Array {
  return Buffer.from([0xfd, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/** A server that refuses every login, and closes with its last word. */
async function refuse(socket: Socket, seen: { logins: number }): Promise<void> {
  await once(socket, "data");
  socket.write(NO_ENCRYPTION);
  await once(socket, "data");
  seen.logins++;
  socket.end(REFUSAL);
}

Deno.test("mssql: a login is refused in one attempt, although the server closes at once", async () => {
  const seen = { logins: 0 };
  const server = createServer((socket) => void refuse(socket, seen)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const definition = definitionOn(new URL(`mssql://localhost:${port}`), "shop");
  const configuration = configurationOf(definition, { dbuser: "nobody", dbpass: "secret" }, QUIET);
  for (let attempt = 1; attempt <= 10; attempt++) {
    await assert.rejects(
      Session.open({ configuration, lockTimeout: 1000 }),
      (error) => error instanceof MssqlFailure && error.failure === "login",
    );
    assert.equal(seen.logins, attempt, "accounts are locked after some attempts");
  }
  server.close();
  await once(server, "close");
});
