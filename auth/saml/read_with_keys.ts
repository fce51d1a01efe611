/**
 * Reads a message with the keys that its provider has.
 *
 * @module
 */

import { BY_NOBODY } from "./check_signature.ts";
import { UNDECRYPTABLE } from "./decrypt.ts";
import type { Peer } from "./provider.ts";
import { Rejection } from "./rejection.ts";
import { type Arrived, type MessageRules, rulesFor } from "./surroundings.ts";

/** A request that came while the provider can be used. */
export interface Taken extends Arrived {
  readonly peer: Peer;
}

/** What is rejected so may be signed with a key that is new: what was encrypted does not tell. */
const MAY_BE_NEW: readonly string[] = [BY_NOBODY, UNDECRYPTABLE];

/** A key that is not known yet may be in the metadata as it is now. */
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
