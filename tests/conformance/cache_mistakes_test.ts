import assert from "node:assert/strict";
import type { CachePlugin, SharedCache } from "@/plugins/contract.ts";
import { CACHE_TESTS, testCache } from "./cache.ts";
import { cacheSubject } from "./cache_subject.ts";
import { DOWN, type Kept, MapCache, SERVERS } from "./map_cache.ts";

const HERE = "map:here?password=open-sesame";
SERVERS.set(HERE, new Map());

function pluginOf(
  Cache: new (location: string) => SharedCache,
  changes: Partial<CachePlugin> = {},
): CachePlugin {
  const open = (location: string) => {
    if (!location.startsWith("map:")) throw new Error("expected map: and a name");
    return new Cache(location);
  };
  return { contract: 2, kind: "cache", name: "map", setup: () => ({ open }), ...changes };
}

const OPTIONS = {
  location: () => HERE,
  nowhere: "map:nowhere?password=open-sesame",
  wrong: ["http://nowhere?password=open-sesame"],
  secrets: ["open-sesame"],
  server: () => ({
    stop: () => Promise.resolve(void DOWN.add(HERE)),
    start: () => Promise.resolve(void DOWN.delete(HERE)),
  }),
};

testCache("map", () => pluginOf(MapCache), OPTIONS);

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Caches with one mistake each, and the test that notices it. */
const MISTAKES: readonly (readonly [mistake: string, test: string, odd: CachePlugin | typeof MapCache])[] = [
  ["has another name", "keeps the contract", pluginOf(MapCache, { name: "chart" })],
  [
    "connects when it is opened",
    "keeps the contract",
    class extends MapCache {
      constructor(location: string) {
        super(location);
        void this.values;
      }
    },
  ],
  [
    "takes any location",
    "refuses what is no location, without showing a secret",
    pluginOf(MapCache, { setup: () => ({ open: (location) => new MapCache(location) }) }),
  ],
  [
    "shows the password of a wrong location",
    "refuses what is no location, without showing a secret",
    pluginOf(MapCache, {
      setup: () => ({
        open(location) {
          throw new Error(`${location} is wrong`);
        },
      }),
    }),
  ],
  [
    "trims values",
    "keeps values as they were written",
    class extends MapCache {
      override keep(key: string, value: string, seconds: number) {
        return super.keep(key, value.trim(), seconds);
      }
    },
  ],
  [
    "ignores the case of keys",
    "keeps keys apart",
    class extends MapCache {
      override nameOf(key: string) {
        return key.toLowerCase();
      }
    },
  ],
  [
    "adds over a value",
    "adds a value once, for everybody",
    class extends MapCache {
      override async add(key: string, value: string, { seconds }: { seconds: number }) {
        return await Promise.resolve(this.keep(key, value, seconds));
      }
    },
  ],
  [
    "shares nothing",
    "adds a value once, for everybody",
    class extends MapCache {
      readonly own = new Map<string, Kept>();
      override get values() {
        return this.own;
      }
    },
  ],
  [
    "removes nothing",
    "removes values",
    class extends MapCache {
      override async remove() {}
    },
  ],
  [
    "removes everything",
    "removes values",
    class extends MapCache {
      override async remove() {
        await Promise.resolve(this.values.clear());
      }
    },
  ],
  [
    "replaces whatever is there",
    "replaces only the version that was read",
    class extends MapCache {
      override async replace(key: string, value: string, { seconds }: { seconds: number }) {
        return await Promise.resolve(this.kept(key) ? this.keep(key, value, seconds) : false);
      }
    },
  ],
  [
    "takes the value for its version",
    "knows a value that has come back from the one before",
    class extends MapCache {
      override versionOf(value: string) {
        return value;
      }
    },
  ],
  [
    "looks before it adds",
    "lets one of many add a value",
    class extends MapCache {
      override async add(key: string, value: string, { seconds }: { seconds: number }) {
        if (this.kept(key)) return false;
        await tick();
        return this.keep(key, value, seconds);
      }
    },
  ],
  [
    "looks before it replaces",
    "lets one of many replace a value",
    class extends MapCache {
      override async replace(
        key: string,
        value: string,
        { seconds, version }: { seconds: number; version: string },
      ) {
        if (this.kept(key)?.version !== version) return false;
        await tick();
        return this.keep(key, value, seconds);
      }
    },
  ],
  [
    "says done and does nothing",
    "loses none of the numbers that several nodes count",
    class extends MapCache {
      override async replace() {
        return await Promise.resolve(true);
      }
    },
  ],
  [
    "never forgets",
    "forgets a value when its lifetime is over, and no other",
    class extends MapCache {
      override untilOf() {
        return Infinity;
      }
    },
  ],
  [
    "takes many years for a date in the past",
    "forgets a value when its lifetime is over, and no other",
    class extends MapCache {
      override untilOf(seconds: number) {
        return seconds > 60 * 60 * 24 * 30 ? seconds * 1000 : super.untilOf(seconds);
      }
    },
  ],
  [
    "touches without effect",
    "counts a lifetime from the last write",
    class extends MapCache {
      override async touch(key: string) {
        return await Promise.resolve(this.kept(key) !== undefined);
      }
    },
  ],
  [
    "makes a value by touching",
    "touches only what is there, and leaves its value and version",
    class extends MapCache {
      override async touch(key: string, { seconds }: { seconds: number }) {
        return await Promise.resolve(this.keep(key, this.kept(key)?.value ?? "", seconds));
      }
    },
  ],
  [
    "answers that nothing is there while the server is away",
    "rejects every use where nothing is, and shows no secret",
    class extends MapCache {
      override async get(key: string) {
        return await super.get(key).catch(() => undefined);
      }
    },
  ],
  [
    "shows the password in an error",
    "rejects every use where nothing is, and shows no secret",
    class extends MapCache {
      override get values() {
        const values = SERVERS.get(this.location);
        if (!values) throw new Error(`nothing at ${this.location}`);
        return values;
      }
    },
  ],
  [
    "forgets everything when one connection is closed",
    "is closed without harm, used or not",
    class extends MapCache {
      override async [Symbol.asyncDispose]() {
        await Promise.resolve(this.values.clear());
      }
    },
  ],
  [
    "never recovers from an outage",
    "rejects while its server is down, and works when it is back",
    class extends MapCache {
      #isBroken = false;
      override get values() {
        this.#isBroken ||= DOWN.has(this.location);
        if (this.#isBroken) throw new Error("broken for ever");
        return super.values;
      }
    },
  ],
];

for (const [mistake, test, odd] of MISTAKES) {
  Deno.test(`the suite notices a cache that ${mistake}`, async () => {
    const plugin = typeof odd === "function" ? pluginOf(odd) : odd;
    const subject = cacheSubject("map", plugin, OPTIONS);
    try {
      await assert.rejects(async () => await CACHE_TESTS[test]?.(await subject));
    } finally {
      DOWN.clear();
    }
  });
}

Deno.test("the suite gives a cache its settings, with their defaults", async () => {
  const given: unknown[] = [];
  const settings = { wait: { type: "integer", default: 7, sentence: "Milliseconds to wait." } } as const;
  const setup: CachePlugin["setup"] = (section) => {
    given.push(section);
    return { open: (location) => new MapCache(location) };
  };
  for (const section of [undefined, { wait: "8" }]) {
    await cacheSubject("map", pluginOf(MapCache, { settings, setup }), {
      ...OPTIONS,
      ...section && { section },
    });
  }
  assert.deepEqual(given, [{ wait: 7 }, { wait: 8 }]);
});
