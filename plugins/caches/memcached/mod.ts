/**
 * memcached, in its binary protocol. A location is `host:port` or `[address]:port`.
 *
 * @module
 */

import type { CachePlugin } from "@/plugins/contract.ts";
import { Memcached } from "./memcached.ts";

const LOCATION = /^(?:[^\s:/@]+|\[[0-9A-Fa-f:]+\]):\d{1,5}$/;

export default {
  contract: 2,
  kind: "cache",
  name: "memcached",
  setup: () => ({
    open(location) {
      if (!LOCATION.test(location)) throw new Error("expected host:port");
      return new Memcached(location);
    },
  }),
} satisfies CachePlugin;
