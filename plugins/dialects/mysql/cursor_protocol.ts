/**
 * Cursors of the protocol: the server keeps a statement's result and sends as many rows of it as it is asked for.
 *
 * The driver has none of it in its public interface. But its connections take any object with these two methods as a command,
 * and its own command that runs a prepared statement writes the packet and reads the columns. So only one bit of that packet
 * is set here, and two commands are added to those of the driver. What is used of the driver beyond its interface is what
 * the interfaces below name; it is looked at when it is used, so that another version of the driver says what it lacks.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { DriverStatement, Field } from "./driver.ts";

/** A packet that came from the server. */
interface Packet {
  isEOF(): boolean;
  isError(): boolean;
  eofStatusFlags(): number;
  asError(encoding: string): Error;
}

/** A packet to the server: four bytes that the driver knows how to fill, then the command's own. */
interface Outgoing {
  readonly buffer: Uint8Array;
  length(): number;
  writeHeader(sequence: number): void;
}

/** A connection as commands see it. */
interface Wire {
  readonly clientEncoding: string;
  addCommand(command: Command): unknown;
  _resetSequenceId(): void;
  writePacket(packet: Outgoing): void;
}

/** What a connection runs. The first call has no packet; true: it is over. */
interface Command {
  onResult?(error: unknown): void;
  execute(packet: Packet | undefined, wire: Wire): boolean;
}

/** The driver's command that runs a prepared statement, and knows how to read a row once it has the columns. */
interface Executing extends Command {
  start(packet: Packet | undefined, wire: Wire): unknown;
  readonly options?: unknown;
  readonly _currentFields?: readonly Field[] | null;
  readonly _rowParser?: { next(packet: Packet, fields: readonly Field[], options: unknown): unknown } | null;
}

/** Rows that were fetched; whether there may be more. */
export interface Fetched {
  readonly rows: unknown[][];
  readonly isLast: boolean;
}

/** What becomes of a command. */
export interface Ending<T> {
  resolve(value: T): void;
  fail(error: unknown): void;
}

const EXECUTE = 0x17;
const RESET = 0x1a;
const FETCH = 0x1c;
/** Length of the header, and the places of the command and of its flags behind it. */
const HEADER = 4;
const FLAGS_AT = HEADER + 5;
const READ_ONLY_CURSOR = 1;
const CURSOR_EXISTS = 64;
const LAST_ROW_SENT = 128;

/**
 * Lets a statement that is about to be run open a cursor. Where it does, the command is over with that; where it does not, it
 * goes on to give rows, and `opened` is told so before the first.
 */
export function requestCursor(
  command: object,
  statement: DriverStatement,
  opened: (cursor: Cursor | undefined) => void,
): void {
  const executing = executingOf(command);
  const { start, execute } = executing;
  executing.start = (packet, wire) => start.call(executing, packet, withCursor(wire));
  executing.execute = (packet, wire) => {
    const isOver = execute.call(executing, packet, wire);
    // Rows are never taken for it, and errors end the command.
    if (isOver || !packet?.isEOF() || !executing._rowParser) return isOver;
    executing.execute = execute;
    const hasCursor = (packet.eofStatusFlags() & CURSOR_EXISTS) !== 0;
    opened(hasCursor ? new Cursor(wire, idOf(statement), executing) : undefined);
    return hasCursor;
  };
}

/** A result that the server keeps. One thing is asked of it at a time. */
export class Cursor {
  readonly #wire: Wire;
  readonly #id: number;
  readonly #reader: Executing;

  constructor(wire: Wire, id: number, reader: Executing) {
    this.#wire = wire;
    this.#id = id;
    this.#reader = reader;
  }

  /** The next rows, at most as many. */
  fetch(count: number, { resolve, fail }: Ending<Fetched>): void {
    const rows: unknown[][] = [];
    this.#ask(packetOf(FETCH, this.#id, count), fail, (packet) => {
      if (packet.isEOF()) {
        resolve({ rows, isLast: (packet.eofStatusFlags() & LAST_ROW_SENT) !== 0 });
        return true;
      }
      rows.push(this.#read(packet));
      return false;
    });
  }

  /** Lets the server forget the result; the statement stays prepared. */
  close({ resolve, fail }: Ending<void>): void {
    this.#ask(packetOf(RESET, this.#id), fail, () => {
      resolve();
      return true;
    });
  }

  #ask(question: Outgoing, fail: (error: unknown) => void, answer: (packet: Packet) => boolean): void {
    this.#wire.addCommand({
      onResult: fail,
      execute(packet, wire) {
        if (!packet) {
          wire._resetSequenceId();
          wire.writePacket(question);
          return false;
        }
        if (!packet.isError()) return answer(packet);
        fail(packet.asError(wire.clientEncoding));
        return true;
      },
    });
  }

  #read(packet: Packet): unknown[] {
    const { _rowParser, _currentFields, options } = this.#reader;
    const row = _rowParser?.next(packet, _currentFields ?? [], options);
    if (Array.isArray(row)) return row;
    throw hasChanged("it reads no rows");
  }
}

/** The same connection, but what is written to it asks for a cursor. */
function withCursor(wire: Wire): Wire {
  const writePacket = (packet: Outgoing) => {
    if (packet.buffer[HEADER] !== EXECUTE) throw hasChanged("it runs statements in another way");
    packet.buffer[FLAGS_AT] = (packet.buffer[FLAGS_AT] ?? 0) | READ_ONLY_CURSOR;
    wire.writePacket(packet);
  };
  return Object.create(wire, { writePacket: { value: writePacket } });
}

function packetOf(command: number, id: number, count?: number): Outgoing {
  const size = count === undefined ? 5 : 9;
  const buffer = Buffer.alloc(HEADER + size);
  buffer.writeUInt8(command, HEADER);
  buffer.writeUInt32LE(id, HEADER + 1);
  if (count !== undefined) buffer.writeUInt32LE(count, HEADER + 5);
  return {
    buffer,
    length: () => buffer.length,
    writeHeader(sequence) {
      buffer.writeUIntLE(size, 0, 3);
      buffer.writeUInt8(sequence, 3);
    },
  };
}

function executingOf(command: object): Executing {
  const has = (name: string) => name in command && typeof Reflect.get(command, name) === "function";
  if (has("start") && has("execute") && "_rowParser" in command) return command as Executing;
  throw hasChanged("its commands are others");
}

function idOf(statement: DriverStatement): number {
  if ("id" in statement && typeof statement.id === "number") return statement.id;
  throw hasChanged("its statements have no number");
}

function hasChanged(what: string): Error {
  return new Error(`The driver mysql2 is not the version that cursors are made for: ${what}`);
}
