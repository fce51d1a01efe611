/**
 * Guards the service against a format that reads a body: it may throw, return something else, or never end.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { isObject, kindOf } from "@/core/base/plugin_answers.ts";
import { blame, LatePlugin } from "@/core/base/plugin_failures.ts";
import { badRequest, quote } from "@/core/errors.ts";
import type {
  BodyRecord,
  BodyValue,
  Format,
  OwnParameters,
  ReadEnd,
  Reading,
  ReadInput,
  ReadResult,
} from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import type { NamedFormat } from "./formats.ts";

/** Approximate bytes of a record while it is read, checked and written, and of each of its members. */
const RECORD = 320;
const MEMBER = 64;

/** Records after which a reading asks whether its caller is still there. */
const MANY = 8;

/** A format that reads bodies. */
export interface BodyFormat extends NamedFormat {
  readonly read: NonNullable<Format["read"]>;
  /** The charset in `Content-Type`. */
  readonly charset: string;
}

/** The limits of a format's work on one body. */
export interface ReadLimits {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Seconds that the format may work. */
  readonly seconds: number;
}

/** Records as they are read; the final value tells whether they are a list. */
export type Records = Generator<BodyRecord | undefined, boolean, void>;

/** The reading of one body by its format, within limits. */
export class BodyReading {
  readonly #format: BodyFormat;
  readonly #limits: ReadLimits;
  readonly #room: MemoryRoom;

  constructor(format: BodyFormat, limits: ReadLimits, room: MemoryRoom) {
    this.#format = format;
    this.#limits = limits;
    this.#room = room;
  }

  /** Calls the format. Throws 503 if it takes too long, and 500 for its mistakes, which name it. */
  begin(body: string | Uint8Array<ArrayBuffer>, input: Omit<ReadInput, "signal">): Eventual<Records> {
    const given = new GivenInput(input);
    return attempt<Records>(() => {
      const read = this.#format.read(body, given);
      return whenThere<ReadResult | Reading, Records>(
        read instanceof Promise ? this.#settle(read, given) : read,
        (found) => {
          if (isReading(found)) return this.#records(found);
          if (isEnd(found) && (!("records" in found) || Array.isArray(found.records))) {
            return this.#records(stepsOf(found));
          }
          throw new TypeError(`gave ${kindOf(found)}, not records or a complaint`);
        },
      );
    }, (error) => {
      throw given.ended ? given.ended.reason : this.#blame(error);
    });
  }

  #settle<T>(read: Promise<T>, given: GivenInput): Promise<T> {
    const { signal, seconds } = this.#limits;
    const giveUp = (reason: unknown) => given.abort(reason);
    return bounded(read, { signal, seconds, expired: () => this.#late(), giveUp });
  }

  /** Throws 400 for a complaint about the body. */
  *#records(reading: Reading): Records {
    const { seconds } = this.#limits;
    let spent = 0;
    try {
      for (let count = 0;; count++) {
        // Making the signal costs more than the first records.
        if (count > MANY && this.#limits.signal.aborted) throw this.#limits.signal.reason;
        const begun = performance.now();
        const { done, value } = this.#step(reading);
        spent += performance.now() - begun;
        if (spent > 1000 * seconds) throw this.#late();
        if (!done) {
          if (value) this.#room.add(RECORD + MEMBER * value.size);
          yield value;
        } else if ("isList" in value) return value.isList;
        else {
          const label = this.#format.name.toUpperCase();
          throw badRequest(`Could not parse ${label}: ${value.complaint}`);
        }
      }
    } finally {
      reading.return({ isList: false });
    }
  }

  /** One step, checked: what is no value of a body would be stored as something else. */
  #step(reading: Reading): IteratorResult<BodyRecord | undefined, ReadEnd> {
    try {
      const step = reading.next();
      if (!step.done) requireRecord(step.value);
      else if (!isEnd(step.value)) throw new TypeError(`gave ${kindOf(step.value)}, not an end`);
      return step;
    } catch (error) {
      throw this.#blame(error);
    }
  }

  #late(): LatePlugin {
    return new LatePlugin(`${this.#title} in read()`);
  }

  #blame(error: unknown): unknown {
    return blame(error, `${this.#title} failed in read()`);
  }

  get #title(): string {
    return `format ${quote(this.#format.name)}`;
  }
}

/** The input of a format. Making its signal costs more than reading a small body. */
class GivenInput implements ReadInput {
  readonly name: string;
  readonly columns: ReadInput["columns"];
  readonly nullMarker: string;
  readonly csvNullStr: boolean;
  readonly parameters?: OwnParameters;
  #controller: AbortController | undefined;

  constructor({ name, columns, nullMarker, csvNullStr, parameters }: Omit<ReadInput, "signal">) {
    this.name = name;
    this.columns = columns;
    this.nullMarker = nullMarker;
    this.csvNullStr = csvNullStr;
    if (parameters) this.parameters = parameters;
  }

  get signal(): AbortSignal {
    return (this.#controller ??= new AbortController()).signal;
  }

  /** Its signal if that is aborted. */
  get ended(): AbortSignal | undefined {
    return this.#controller?.signal.aborted ? this.#controller.signal : undefined;
  }

  abort(reason: unknown): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }
}

/** Yields the records of an immediate result like those of a {@link Reading}. */
function* stepsOf(result: ReadResult): Reading {
  if ("records" in result) yield* result.records;
  return result;
}

/** A generator, but not an asynchronous one. */
function isReading(found: unknown): found is Reading {
  return isObject(found) && typeof found["next"] === "function" && Symbol.iterator in found;
}

function requireRecord(record: unknown): void {
  if (record === undefined) return;
  if (!(record instanceof Map)) throw new TypeError(`gave ${kindOf(record)}, not a Map of names and values`);
  for (const [name, value] of record) {
    if (typeof name === "string" && isValue(value)) continue;
    throw new TypeError(`gave ${kindOf(value)} as the value of ${quote(String(name))}, not a BodyValue`);
  }
}

function isValue(value: unknown): value is BodyValue {
  if (typeof value === "string" || value === null || typeof value === "boolean") return true;
  if (!isObject(value)) return false;
  const { kind, text } = value;
  return kind === "empty" || ((kind === "number" || kind === "nested") && typeof text === "string");
}

function isEnd(found: unknown): found is ReadEnd {
  if (typeof found !== "object" || found === null) return false;
  return "isList" in found ? typeof found.isList === "boolean" : "complaint" in found;
}
