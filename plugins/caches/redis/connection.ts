/**
 * A connection to a server: logs in, chooses the database, and assigns each answer to its request.
 *
 * @module
 */

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Place } from "./place.ts";
import { Refusal, type Reply, ReplyReader, requestOf } from "./reply.ts";

/** Begins at once. A failure of the beginning fails every request. */
export class RedisConnection {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  /** The requests without an answer, in their order. */
  readonly #waiting: PromiseWithResolvers<Reply>[] = [];
  readonly #greeted: Promise<void>;
  #ended: Error | undefined;

  constructor(place: Place) {
    this.#socket = socketTo(place);
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (bytes: Uint8Array) => this.#take(bytes));
    this.#socket.on("error", (error: Error) => this.end(error));
    this.#socket.on("close", () => this.end(new Error("It closed the connection")));
    this.#greeted = this.#greet(place);
    // Each request fails with it.
    this.#greeted.catch(() => {});
  }

  /** Sends a request once the greeting is over. Rejects when the connection ends; a refusal is an answer. */
  async ask(words: readonly string[]): Promise<Reply> {
    await this.#greeted;
    return await this.#send(words);
  }

  /** Ends the connection; the requests without an answer fail with the reason. */
  end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  /** Nothing else is sent before it: it would be done by the wrong user, or in the wrong database. */
  async #greet({ user, password, database }: Place): Promise<void> {
    if (password !== undefined) {
      const words = user === undefined ? ["AUTH", password] : ["AUTH", user, password];
      const reply = await this.#send(words);
      // Its sentence might repeat the password.
      if (reply instanceof Refusal) throw new Error(`It refuses the user or the password: ${reply.code}`);
    }
    if (database === 0) return;
    const reply = await this.#send(["SELECT", String(database)]);
    if (reply instanceof Refusal) throw new Error(`It refuses database ${database}: ${reply.reason}`);
  }

  #send(words: readonly string[]): Promise<Reply> {
    if (this.#ended) return Promise.reject(this.#ended);
    const answer = Promise.withResolvers<Reply>();
    this.#waiting.push(answer);
    this.#socket.write(requestOf(words));
    return answer.promise;
  }

  #take(bytes: Uint8Array): void {
    try {
      for (const reply of this.#reader.take(bytes)) {
        const answer = this.#waiting.shift();
        if (!answer) throw new Error("It answers what nobody asked");
        answer.resolve(reply);
      }
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function socketTo({ host, port, isEncrypted, ca }: Place): Socket {
  if (!isEncrypted) return connectPlain({ host, port });
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...name, ...(ca === undefined ? {} : { ca }) });
}
