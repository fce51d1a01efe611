/**
 * memcached, in its binary protocol. A location is `host:port` or `[address]:port`.
 *
 * @module
 */

import type { CachePlugin } from "@/plugins/contract.ts";
import { Memcached } from "./memcached.ts";

const LOCATION = /^(?:[^\s:/@]+|\[[0-9A-Fa-f:]+\]):(\d{1,5})$/;

export default {
  contract: 2,
  kind: "cache",
  name: "memcached",
  setup: () => ({
    open(location) {
      const port = Number(LOCATION.exec(location)?.[1]);
      if (!(port <= 65535)) throw new Error("expected host:port, with a port up to 65535");
      return new Memcached(location);
    },
  }),
} satisfies CachePlugin;
