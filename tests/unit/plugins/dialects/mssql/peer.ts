/**
 * A server that speaks SQL Server's protocol and sends the messages of a test.
 *
 * @module
 */

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Requests } from "./requests.ts";
import { done, NO_ENCRYPTION, numberAndText, packet, WELCOME } from "./tokens.ts";

/** The tokens of an answer; undefined: the usual answer. */
export type Script = (request: string) => readonly Uint8Array[] | typeof SILENCE | undefined;

/** No answer until the client cancels the request. */
export const SILENCE: unique symbol = Symbol("silence");

/** It listens on its own port until disposed. */
export interface Peer extends AsyncDisposable {
  readonly url: URL;
  /** Its requests, in order, without those at the beginning of every connection. */
  readonly requests: readonly string[];
  /** How many connections it has seen. */
  readonly logins: number;
}

/** Databases on it have snapshots. */
export async function startPeer(script: Script): Promise<Peer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let logins = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let isSilent = false;
    const inbox = new Requests((request) => {
      if (request === "login") logins++;
      if (!isBeginning(request)) requests.push(request);
      // A cancelled request is ended before the attention is answered.
      if (request === "attention" && isSilent) socket.write(packet(done()));
      const answer = beginning(request) ?? script(request) ?? packet(...usual(request));
      isSilent = answer === SILENCE;
      if (answer !== SILENCE) socket.write(answer instanceof Uint8Array ? answer : packet(...answer));
    });
    socket.on("data", (bytes: Uint8Array) => inbox.add(bytes));
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`mssql://nobody:secret@127.0.0.1:${port}`),
    requests,
    get logins() {
      return logins;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function beginning(request: string): Uint8Array | undefined {
  if (request === "prelogin") return NO_ENCRYPTION;
  return request === "login" ? WELCOME : undefined;
}

function isBeginning(request: string): boolean {
  return request === "prelogin" || request === "login" || request.startsWith("batch set ");
}

function usual(request: string): readonly Uint8Array[] {
  if (request === "sp_executesql") return [numberAndText(1, "Peer"), done("proc")];
  return [done("done", request === "attention" ? 0x20 : 0)];
}
