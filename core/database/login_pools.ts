/**
 * One pool of connections for each database login, so that the database's own grants decide what a user may do.
 *
 * @module
 */

import type { Database, Login } from "@/plugins/contract.ts";

/** The pools of one connected database: that of the login that reads the catalog, and those of its users. */
export class LoginPools {
  readonly #catalog: Database;
  readonly #own: string;
  readonly #pools = new Map<string, Database>();

  constructor(catalog: Database, login: Login) {
    this.#catalog = catalog;
    this.#own = keyOf(login);
  }

  /** All pools there are, that of the catalog last. */
  get all(): readonly Database[] {
    return [...this.#pools.values(), this.#catalog];
  }

  /** The database under a login. It connects when it is first used. */
  of(login: Login): Database {
    const key = keyOf(login);
    if (key === this.#own || !this.#catalog.as) return this.#catalog;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#catalog.as({ dbuser: login.dbuser, dbpass: login.dbpass });
    this.#pools.set(key, pool);
    return pool;
  }

  /** Forgets the pools of every other login and gives them back: they are to be closed when nothing uses them any more. */
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
