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

export class Cursor {
  readonly #session: Session;
  readonly #handle: number;
  readonly #statement: MssqlStatement;

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
    const running: Running = session.call(openCall(command), bounds, () => running.cancel(new Cursorless()));
    await running.finished;
    const [handle] = running.returned;
    if (typeof handle !== "number" || handle === 0) throw new Cursorless();
    return new Cursor(session, handle, statement);
  }

  /** The next rows, none at the end. A server may give fewer than it is asked for although there are more. */
  async fetch(size: number, bounds: Bounds): Promise<readonly Row[]> {
    for (;;) {
      const { count, rows } = await this.#fetch(size, bounds);
      if (count === 0 || rows.length > 0) return rows;
    }
  }

  async close(bounds: Bounds): Promise<void> {
    await this.#session.call(closeCall(this.#handle), bounds, () => {}).finished;
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

/** FOR XML, FOR JSON. */
const CLAUSES: ReadonlySet<number> = new Set([6819, 13602]);
/** Whatever a cursor can be refused for. */
const CURSORS = { first: 16_900, last: 16_999 } as const;

/** What Babelfish says to statements that it has no cursors for: it understands less than where it needs none. */
const BABELFISH = /^(cannot open .+ as cursor|syntax error at or near )/;

/** Whether a statement has been refused for its cursor: it may work without. */
export function isCursorless(error: unknown): boolean {
  return error instanceof Cursorless || requestErrors(error).some(({ number = 0, message }) => {
    if (number === NOT_MAPPED) return BABELFISH.test(message);
    return CLAUSES.has(number) || (number >= CURSORS.first && number <= CURSORS.last);
  });
}
