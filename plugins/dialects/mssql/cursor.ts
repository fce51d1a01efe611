/**
 * A cursor on the server: a statement whose rows are fetched when they are wanted.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { NOT_MAPPED } from "./babelfish.ts";
import { closeCall, fetchCall, openCall } from "./cursor_calls.ts";
import type { DriverCell } from "./driver.ts";
import { requestErrors } from "./failures.ts";
import { isMissing, statusPosition } from "./row_status.ts";
import type { Bounds, Running } from "./running.ts";
import type { Session } from "./session.ts";
import type { Command, MssqlStatement } from "./statement.ts";

/** Open until it has been read to its end, or until {@link Cursor.close}. */
export class Cursor {
  readonly #session: Session;
  readonly #handle: number;
  readonly #statement: MssqlStatement;
  #isClosed = false;

  private constructor(session: Session, handle: number, statement: MssqlStatement) {
    this.#session = session;
    this.#handle = handle;
    this.#statement = statement;
  }

  /** Rejects with a reason for {@link isCursorless} where the statement can have no cursor: nothing of it has run then. */
  static async open(
    session: Session,
    { statement, command }: { readonly statement: MssqlStatement; readonly command: Command },
    bounds: Bounds,
  ): Promise<Cursor> {
    let hasRows = false;
    const running: Running = session.call(openCall(command), bounds, () => {
      hasRows = true;
      running.cancel(new Cursorless());
    });
    await running.finished.catch((error: unknown) => {
      // A cursor that nobody knows may have been opened: it would stay until the connection ends.
      if (running.isCancelled && !hasRows) session.close();
      throw error;
    });
    const [handle] = running.returned;
    if (typeof handle !== "number" || handle === 0) throw new Cursorless();
    return new Cursor(session, handle, statement);
  }

  /** The next rows, none at the end. A server may give fewer than it is asked for although there are more. */
  async fetch(size: number, bounds: Bounds): Promise<readonly Row[]> {
    while (!this.#isClosed) {
      const { count, rows } = await this.#fetch(size, bounds);
      if (count === 0 || rows.length > 0) return rows;
    }
    return [];
  }

  async close(bounds: Bounds): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#session.call(closeCall(this.#handle), bounds, () => {}).finished;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  async #fetch(size: number, bounds: Bounds): Promise<{ readonly count: number; readonly rows: Row[] }> {
    let count = 0;
    const rows: Row[] = [];
    const running: Running = this.#session.call(fetchCall(this.#handle, size), bounds, (cells) => {
      count++;
      const row = this.#read(cells, running);
      if (row) rows.push(row);
    });
    await running.finished;
    this.#isClosed = running.status === AUTO_CLOSED;
    return { count, rows };
  }

  #read(cells: readonly DriverCell[], { columns, hidden }: Running): Row | undefined {
    const { decode, width } = this.#statement;
    const status = statusPosition({ columns, hidden, known: width });
    if (status === undefined) return decode(cells);
    return isMissing(cells[status]?.value) ? undefined : decode(cells.slice(0, status));
  }
}

/** The server has run the statement, or nothing, instead of opening a cursor. */
class Cursorless extends Error {
  override readonly name = "Cursorless";
}

/** What a fetch gives back that has come to the end, where the server has closed the cursor by itself. */
const AUTO_CLOSED = 16;
const GONE: ReadonlySet<number | undefined> = new Set([16_909, 16_916, 16_917]);

/** Whether there is no such cursor any more, as after some failures of its statement. */
function isGone(error: unknown): boolean {
  return requestErrors(error).some(({ number, message }) => {
    return GONE.has(number) || (number === NOT_MAPPED && /^cursor ".+" does not exist$/.test(message));
  });
}

const REFUSALS: ReadonlySet<number> = new Set([
  6819, // FOR XML
  13602, // FOR JSON
  35370, // a clustered columnstore index
  10770, // tables in memory
  10794,
  12306,
  41368, // tables in memory, in a transaction without snapshots
]);
/** Whatever else a cursor can be refused for. */
const CURSORS = { first: 16_900, last: 16_999 } as const;

/** What Babelfish says to statements that it has no cursors for: it understands less than where it needs none. */
const BABELFISH = /^(cannot open .+ as cursor|syntax error at or near )/;

/** Whether a statement has been refused for its cursor: it may work without one. */
export function isCursorless(error: unknown): boolean {
  return error instanceof Cursorless || requestErrors(error).some(({ number = 0, message }) => {
    if (number === NOT_MAPPED) return BABELFISH.test(message);
    return REFUSALS.has(number) || (number >= CURSORS.first && number <= CURSORS.last);
  });
}
