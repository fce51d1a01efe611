/**
 * Plays a script on every engine, step by step, as long as all answer the same.
 *
 * @module
 */

import { compare, describe, type Said, Tags } from "./compare.ts";
import type { Excuse } from "./excuses.ts";
import type { Mirror } from "./mirrors.ts";
import type { Asked } from "./read_requests.ts";
import type { Script } from "./scripts.ts";

/** A key that the database counted: the last one that a table begins with is 7000001, 8000001 or 9000001. */
const COUNTED = /(?<![\d.])[789]0000(?!0[01])\d\d(?!\d|\.\d)/g;

/** Returns the first difference, with the steps before it; undefined without one. */
export async function play(
  script: Script,
  { mirrors, excuses }: { readonly mirrors: readonly Mirror[]; readonly excuses: readonly Excuse[] },
): Promise<string | undefined> {
  const players = mirrors.map((mirror) => new Player(mirror));
  const tags = new Tags();
  for (const [at, step] of script.entries()) {
    const said = await Promise.all(players.map((player) => player.send(step)));
    const found = compare(step, said, { tags, excuses });
    if (found === undefined) continue;
    const before = script.slice(0, at).map(({ method, target, body = "" }) => `${method} ${target} ${body}`);
    return [found, "after", ...before].join("\n");
  }
  return undefined;
}

/** One engine's side of a script. */
class Player {
  readonly #mirror: Mirror;
  readonly #keys = new Map<string, string>();
  #tag = "";

  constructor(mirror: Mirror) {
    this.#mirror = mirror;
  }

  async send(step: Asked): Promise<Said> {
    const headers = Object.entries(step.headers ?? {})
      .map(([name, value]) => [name, value.replace("{etag}", this.#tag)]);
    const answer = await this.#mirror.connection.send({ ...step, headers: Object.fromEntries(headers) });
    const tag = answer.headers.get("etag");
    this.#tag = tag ?? this.#tag;
    return { dialect: this.#mirror.dialect, text: this.#named(describe(answer, this.#mirror)), tag };
  }

  /**
   * Keys that the database counted, by the order in which they were seen: after a
   * failure some engines leave out numbers.
   */
  #named(text: string): string {
    return text.replaceAll(COUNTED, (key) => {
      const name = this.#keys.get(key) ?? `{new ${this.#keys.size + 1}}`;
      this.#keys.set(key, name);
      return name;
    });
  }
}
