/**
 * The client of a request, for reading and sending.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import type { ExecuteOptions } from "@/core/tables/execute_read.ts";
import type { Recipient } from "@/core/respond/respond_rows.ts";
import type { Service } from "@/core/service.ts";
import type { Sender } from "@/plugins/contract.ts";

/** The answered request. */
export interface Answering {
  readonly raw: Request;
  readonly sender: Sender;
  readonly requestId: string;
  readonly service: Service;
}

/** Computes its members on demand: creating the signal costs more than a read by key. */
export class RequestClient implements ExecuteOptions, Recipient {
  readonly #answering: Answering;

  constructor(answering: Answering) {
    this.#answering = answering;
  }

  get requestId(): string {
    return this.#answering.requestId;
  }

  /** A read may take as long as its client waits. */
  get signal(): AbortSignal {
    return this.#answering.raw.signal;
  }

  get fetchSize(): number {
    return this.#answering.service.settings["orm_sdb.yield_per"];
  }

  /** Memory for an answer that is too large to be sent at once. */
  room(): MemoryRoom {
    const { service, sender } = this.#answering;
    return service.answerMemory.open(sender.client.network);
  }
}
