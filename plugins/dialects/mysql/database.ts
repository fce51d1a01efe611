/**
 * One connected database under one login.
 *
 * @module
 */

import type { Login } from "@/plugins/contract.ts";
import { EngineDatabase } from "@/plugins/kit/engine_database.ts";
import { readListing } from "./catalog_queries.ts";
import { ChangeWatch } from "./change_watch.ts";
import { Control } from "./control.ts";
import { engineOf, fingerprintOf } from "./engine.ts";
import { classify } from "./failures.ts";
import type { Place } from "./server.ts";
import type { Session } from "./session.ts";

/** The database of the kit, with a control connection for checks and for the ends of statements. */
export class MysqlDatabase extends EngineDatabase<Session> {
  readonly #place: Place;
  readonly #control: Control;
  readonly #watch: ChangeWatch;

  constructor(place: Place, login: Login) {
    const control = new Control(() => place.open(login), place.log);
    const watch = new ChangeWatch({ ask: (sql) => control.ask(sql), fingerprint: () => this.#fingerprint() });
    super(engineOf(place, control, watch), { settings: place.settings, login, log: place.log });
    this.#place = place;
    this.#control = control;
    this.#watch = watch;
  }

  /** Works while all connections of the pool are busy. */
  override async check(): Promise<"ok" | "changed" | "gone"> {
    try {
      return await this.#watch.hasChanged() ? "changed" : "ok";
    } catch (error) {
      const failure = classify(error);
      if (failure === undefined) throw error;
      // A server that takes no more connections is there, because the control connection is.
      return this.#control.usage.open > 0 && failure !== "login" ? "ok" : "gone";
    }
  }

  protected override under(login: Login): MysqlDatabase {
    return new MysqlDatabase(this.#place, login);
  }

  protected override async close(): Promise<void> {
    await super.close();
    await this.#control[Symbol.asyncDispose]();
  }

  #fingerprint(): Promise<string> {
    const { schemas, server } = this.#place;
    return this.use(async (session) => {
      return fingerprintOf(await session.run((at) => readListing(at, { schemas, server, echo: () => {} })));
    });
  }
}
