/**
 * One pool of connections per database login, so that the engine's own grants apply to each user.
 *
 * @module
 */

import type { Database, Login } from "@/plugins/contract.ts";

/** The pools of one connected database: the one that reads the catalog, and those of users. */
export class LoginPools {
  readonly #catalog: Database;
  readonly #own: string;
  readonly #pools = new Map<string, Database>();

  constructor(catalog: Database, login: Login) {
    this.#catalog = catalog;
    this.#own = keyOf(login);
  }

  /** All pools, that of the catalog last. */
  get all(): readonly Database[] {
    return [...this.#pools.values(), this.#catalog];
  }

  /** The database under a login. It connects on first use. */
  of(login: Login): Database {
    const key = keyOf(login);
    if (key === this.#own || !this.#catalog.as) return this.#catalog;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#catalog.as({ dbuser: login.dbuser, dbpass: login.dbpass });
    this.#pools.set(key, pool);
    return pool;
  }

  /** Removes the pools of all other logins and returns them, to be closed after their last use. */
  retain(logins: Iterable<Login>): readonly Database[] {
    const kept = new Set([...logins].map(keyOf));
    const departed = [...this.#pools].filter(([key]) => !kept.has(key));
    for (const [key] of departed) this.#pools.delete(key);
    return departed.map(([, pool]) => pool);
  }
}

function keyOf({ dbuser, dbpass }: Login): string {
  return JSON.stringify([dbuser, dbpass]);
}
