/**
 * Browsers that are logged in and ask without pause for what only they may see.
 *
 * @module
 */

import assert from "node:assert/strict";
import { CookieJar } from "@/tests/support/cookie_jar.ts";
import { fetchInTime, until } from "@/tests/support/until.ts";

/** Answers of a proxy without a node, and of a node without its cache. */
export const UNAVAILABLE = [502, 503, 504];
const PAUSE = 20;

/** Several sessions of one user. */
export class Browsers {
  answers = 0;
  refused = 0;
  readonly #jars: CookieJar[] = [];
  #running: Promise<unknown> | undefined;
  #isStopping = false;

  constructor(readonly url: string, readonly path: string) {}

  /** Opens this many sessions. */
  async logIn(count: number, login: Readonly<Record<"login" | "password", string>>): Promise<void> {
    for (let each = 0; each < count; each++) {
      const jar = new CookieJar();
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(login);
      const answer = await fetchInTime(`${this.url}/login`, { method: "POST", headers, body });
      assert.equal(answer.status, 200, await answer.text());
      jar.keep(answer.headers);
      this.#jars.push(jar);
    }
  }

  start(): void {
    this.#isStopping = false;
    this.#running = Promise.all(this.#jars.map(async (jar) => {
      while (!this.#isStopping) await this.#ask(jar);
    }));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Resolves when there are this many further answers; fails when a session has ended. */
  async untilMore(count: number): Promise<void> {
    const enough = this.answers + count;
    await Promise.race([this.#running, until(() => this.answers >= enough)]);
  }

  async #ask(jar: CookieJar): Promise<void> {
    const answer = await fetchInTime(this.url + this.path, { headers: { Cookie: jar.header } });
    const text = await answer.text();
    jar.keep(answer.headers);
    if (UNAVAILABLE.includes(answer.status)) this.refused++;
    else {
      assert.equal(answer.status, 200, text);
      this.answers++;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
