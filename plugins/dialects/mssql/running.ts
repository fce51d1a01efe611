/**
 * One running statement of a connection.
 *
 * @module
 */

import { Request } from "tedious";
import { type Limits, watch } from "@/plugins/kit/bounded.ts";
import { sentName } from "./bound.ts";
import type { DriverCell } from "./decode.ts";
import { reported } from "./failures.ts";
import type { Command } from "./statement.ts";

/** Called for each row as the server sends it, with the number of its result. */
export type OnRow = (cells: readonly DriverCell[], result: number) => void;

/** A column of a result, from the driver. */
export interface DriverColumn {
  readonly colName: string;
  readonly type: { readonly name: string };
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
}

/** The way to send a command, and the receiver of its rows. */
interface RunOptions {
  send(request: Request): void;
  readonly onRow?: OnRow;
}

/** A statement that has been sent. */
export class Running {
  /** The number of inserted, changed or deleted rows. Rejects with the reason of its end. */
  readonly finished: Promise<number>;
  readonly #request: Request;
  readonly #outcome = Promise.withResolvers<number>();
  #ended = false;
  #results = 0;
  #rows = 0;
  /** The next count is the number of a result's rows. */
  #countsRows = false;
  #lastCount: number | undefined;
  columns: readonly DriverColumn[] = [];
  #reason: { readonly error: unknown } | undefined;

  /** Begins a command; it is cancelled when it reaches a limit. */
  constructor(command: Command, limits: Limits, options: RunOptions) {
    this.finished = this.#outcome.promise;
    // Callers see the rejection; a statement without a waiting caller may fail silently.
    this.finished.catch(() => {});
    this.#request = new Request(command.sql, (error) => this.#end(error));
    this.#request.on("columnMetadata", (columns) => {
      this.#countsRows = true;
      if (++this.#results === 1) this.columns = Object.values(columns);
    });
    this.#request.on("doneInProc", (count) => this.#count(count));
    this.#request.on("done", (count) => this.#count(count));
    this.#request.on("row", (cells: DriverCell[]) => {
      this.#rows++;
      if (!command.isSavedQuery || this.#results === 1) options.onRow?.(cells, this.#results);
    });
    command.parameters.forEach(({ type, value, length }, index) => {
      this.#request.addParameter(sentName(index + 1), type, value, length === undefined ? {} : { length });
    });
    const stop = watch({ ...limits, giveUp: (reason) => this.cancel(reason) });
    this.finished.then(stop, stop);
    options.send(this.#request);
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  /**
   * Asks the server to cancel it; {@link finished} rejects with the reason as soon as the connection is free.
   */
  cancel(reason: unknown): void {
    if (this.#ended || this.#reason) return;
    this.#reason = { error: reason };
    this.#request.cancel();
  }

  #end(error: Error | null | undefined): void {
    this.#ended = true;
    if (this.#reason) this.#outcome.reject(this.#reason.error);
    else if (error) this.#outcome.reject(reported(error));
    else this.#outcome.resolve(this.#lastCount === undefined ? 0 : Math.max(this.#lastCount, this.#rows));
  }

  /**
   * Triggers report their changes before the statement that fired them does, so the last count is the
   * statement's own. An insert of several rows is several statements, which return a row each.
   */
  #count(count: number | undefined): void {
    if (this.#countsRows) this.#countsRows = false;
    else if (count !== undefined) this.#lastCount = count;
  }
}
