/**
 * Redis 6 or later, and Valkey: one server, or what looks like one. A location is
 * `redis://[[user]:password@]host[:port][/number]`, or `rediss://…` with TLS;
 * `?ca=FILE` names the authority to trust.
 *
 * @module
 */

import { resolve } from "node:path";
import type { CachePlugin } from "@/plugins/contract.ts";
import { readPem } from "@/plugins/kit/pem.ts";
import { placeAt } from "./place.ts";
import { Redis } from "./redis.ts";

export default {
  contract: 2,
  kind: "cache",
  name: "redis",
  setup: (_section, { directory }) => ({
    async open(location) {
      const { caFile, ...place } = placeAt(location);
      if (caFile === undefined) return new Redis(place);
      return new Redis({ ...place, ca: await readPem(caFile, "ca", resolve(directory, caFile)) });
    },
  }),
} satisfies CachePlugin;
