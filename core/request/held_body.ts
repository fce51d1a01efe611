/**
 * The body of a request that is read before stage 4, because an authentication method asks for its digest.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import type { MemoryRoom } from "@/core/base/client_memory.ts";
import type { DigestAlgorithm } from "@/plugins/contract.ts";
import { type BodyKeeper, openRoom, readBytes } from "./body.ts";

/**
 * All senders who are not authenticated yet count as one client, wherever they come from: together their
 * bodies take a quarter of the memory at most, so that callers can still write.
 */
const STRANGERS = "senders who are not authenticated";

/** The request and the memory of its body. */
interface HeldSource {
  readonly raw: Request;
  readonly service: BodyKeeper & { readonly settings: Pick<Settings, "max_body_size"> };
}

/** Reads the body at once. Its memory is counted until stage 4 takes it over or the request is answered. */
export class HeldBody {
  readonly #room: MemoryRoom;
  readonly #bytes: Promise<Uint8Array<ArrayBuffer>>;
  #isReceived = false;

  constructor({ raw, service }: HeldSource) {
    this.#room = openRoom(STRANGERS, service);
    const source = { body: raw.body, room: this.#room };
    this.#bytes = readBytes(source, { limit: service.settings.max_body_size })
      .finally(() => this.#isReceived = true);
    // A method may leave without it; stage 4 then throws the failure.
    this.#bytes.catch(() => {});
  }

  /** Settles when the sender has sent everything; undefined afterwards. */
  get receiving(): Promise<unknown> | undefined {
    return this.#isReceived ? undefined : this.#bytes;
  }

  /**
   * Computed beside the thread, so that large bodies hold up no other request. Rejects as `readBytes` does.
   */
  async digest(algorithm: DigestAlgorithm): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await crypto.subtle.digest(algorithm, await this.#bytes));
  }

  /** The body for stage 4, which counts its memory from then on. It fails as reading has failed. */
  stream(): ReadableStream<Uint8Array> {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const bytes = await this.#bytes;
      this.#room.close();
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** The request is answered; a body that is still coming is counted until it has come or been given up. */
  close(): void {
    const free = () => this.#room.close();
    this.#bytes.then(free, free);
  }
}
