/** @module Servers that are no PostgreSQL: the reason says so, at once. */

import assert from "node:assert/strict";
import { dial, requireProtocol } from "@/plugins/dialects/postgresql/dial.ts";
import { allInUse, silent } from "@/plugins/kit/database_failure.ts";

/** A server that answers whatever comes first with this text. */
function answering(text: string): Deno.Listener & { readonly addr: Deno.NetAddr } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  void (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(100));
      await connection.write(new TextEncoder().encode(text));
      connection.close();
    }
  })();
  return listener;
}

const HTTP = "HTTP/1.1 400 Bad Request\r\n\r\n";
const FOREIGN = { message: "The server does not speak PostgreSQL", failure: "unavailable" };

Deno.test("a server that answers the request for encryption in another protocol is no PostgreSQL", async () => {
  using server = answering(HTTP);
  const encryption = { required: false, verifies: "nothing" } as const;
  await assert.rejects(dial({ host: "127.0.0.1", port: server.addr.port, encryption }), FOREIGN);
});

Deno.test("a server that answers the login in another protocol is no PostgreSQL", async () => {
  using server = answering(HTTP);
  const socket = await dial({ host: "127.0.0.1", port: server.addr.port, encryption: undefined });
  const found = requireProtocol(socket);
  socket.write("user");
  await assert.rejects(found, FOREIGN);
  socket.destroy();
});

Deno.test("a silent server and a full pool are two other sentences, with their numbers", () => {
  assert.equal(silent(10).message, "The server did not answer within 10 s");
  assert.equal(allInUse(8), "All 8 connections are in use");
  assert.equal(allInUse(1), "The only connection is in use");
});
