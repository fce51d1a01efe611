/** @module Requests to cancel that do not arrive in time: the cancelled work ends nevertheless. */

import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { until } from "@/tests/support/until.ts";
import { makePlace, type Place, testOnServer } from "./fixture.ts";
import { ENDLESS } from "./tables.ts";

const CANCEL_REQUEST = 80877102;

interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Requests to cancel that were lost. */
  readonly lost: () => number;
}

function isCancelRequest(bytes: Uint8Array): boolean {
  return bytes.length === 16 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(4) === CANCEL_REQUEST;
}

/**
 * Relays everything to a server except the first requests to cancel, as if the server
 * had not begun the statement yet.
 */
async function startRelay({ server }: Place, losses: number): Promise<Relay> {
  const open = new Set<Socket>();
  let lost = 0;
  const listener = createServer((client) => {
    open.add(client);
    client.on("error", () => {});
    client.once("data", (first: Uint8Array) => {
      if (isCancelRequest(first) && lost < losses) {
        lost++;
        client.destroy();
        return;
      }
      const behind = connect({ host: server.host, port: server.port });
      open.add(behind);
      behind.on("error", () => client.destroy());
      behind.write(first);
      client.pipe(behind).pipe(client);
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    port: address.port,
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}

testOnServer("a request to cancel that comes too early is made again", async () => {
  await using place = await makePlace("cancelled_early");
  await using relay = await startRelay(place, 2);
  const database = await place.connect({ dbHost: "127.0.0.1", dbPort: relay.port }, {
    statementTimeout: 600,
  });
  const controller = new AbortController();
  const prepared = database.prepare({ sql: ENDLESS, columns: [{ type: "integer", declaredType: "" }] });
  const endless = Promise.resolve(
    database.read([{ prepared, parameters: [] }], { signal: controller.signal }),
  );
  const running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() " +
    "AND application_name = 'rowhouse' AND state = 'active' AND query LIKE '%generate_series%'";
  await until(async () => await place.change(running) === "1\n");
  controller.abort(new Error("The client has gone"));
  await assert.rejects(endless);
  await until(async () => await place.change(running) === "0\n");
  assert.equal(relay.lost(), 2);
});
