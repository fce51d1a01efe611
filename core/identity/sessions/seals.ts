/**
 * Seals of authentication methods: texts that go through browsers for a while, such as the state of a login at an identity
 * provider.
 *
 * @module
 */

import { openSealed, sealText } from "./seal.ts";
import type { Secrets } from "./secret.ts";
import type { AuthHost } from "@/plugins/contract.ts";

/** Seals and opens what one method seals; another method's seals are not opened. */
export function createSeals(
  method: string,
  { current, previous }: Secrets,
  now: () => number,
): Pick<AuthHost, "seal" | "unseal"> {
  const purpose = `rowhouse state of ${method} 1`;
  const keys = [current, ...(previous === undefined ? [] : [previous])];
  return {
    seal: (text, seconds) => sealText(`${Math.floor(now() + seconds * 1000)} ${text}`, current, purpose),
    unseal(sealed) {
      const opened = openSealed(sealed, keys, purpose);
      const space = opened?.indexOf(" ") ?? -1;
      if (opened === undefined || now() >= Number(opened.slice(0, space))) return undefined;
      return opened.slice(space + 1);
    },
  };
}
