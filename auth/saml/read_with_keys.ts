/**
 * Reads a message with the keys of its provider.
 *
 * @module
 */

import { BY_NOBODY } from "./check_signature.ts";
import { UNDECRYPTABLE } from "./decrypt.ts";
import type { Peer } from "./provider.ts";
import { Rejection } from "./rejection.ts";
import { type Arrived, type MessageRules, rulesFor } from "./surroundings.ts";

/** A request to a usable provider. */
export interface Taken extends Arrived {
  readonly peer: Peer;
}

/** Rejections that a new key may explain; for encrypted data the reason is hidden. */
const MAY_BE_NEW: readonly string[] = [BY_NOBODY, UNDECRYPTABLE];

/** If no cached key fits, reads the metadata again and retries. */
export async function readWithKeys<Result>(
  { provider, peer, surroundings }: Taken,
  read: (rules: MessageRules) => Result,
): Promise<Result> {
  try {
    return read(rulesFor(provider, peer, surroundings));
  } catch (error) {
    const mayBeNew = error instanceof Rejection && MAY_BE_NEW.includes(error.message);
    const renewed = mayBeNew ? await provider.renewedPeer() : undefined;
    if (!renewed) throw error;
    return read(rulesFor(provider, renewed, surroundings));
  }
}
