/**
 * Which shared cache serves which purpose. `memcached_server` and `session.url` may be different servers.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { Settings } from "./settings.ts";

/** A place of a shared cache, as service.ini describes it. */
export interface CachePlace {
  /** The name of the plugin. */
  readonly name: string;
  /** Undefined: missing, which the reading of the configuration complains about. */
  readonly location: string | undefined;
  /** The setting that has the location. */
  readonly locatedBy: "memcached_server" | "session.url";
  /** The setting that names the plugin. */
  readonly namedBy: "memcached_server" | "session.type" | "shared_cache";
}

type CacheSettings = Pick<Settings, "memcached_server" | "session.type" | "session.url" | "shared_cache">;

const KIND = "ext:";
const MEMCACHED = "memcached";

/** The cache that keeps sessions; undefined where they are in cookies or files. */
export function sessionCacheOf(settings: CacheSettings): CachePlace | undefined {
  const type = settings["session.type"];
  return type.startsWith(KIND) ? placeOf(type.slice(KIND.length), "session.type", settings) : undefined;
}

/** The cache that counts failed logins and keeps one-time names; undefined where files do. */
export function sharedCacheOf(settings: CacheSettings): CachePlace | undefined {
  const { shared_cache: name, memcached_server: server } = settings;
  const isMemcached = server !== undefined && (name === undefined || name === MEMCACHED);
  if (isMemcached) {
    return { name: MEMCACHED, location: server, locatedBy: "memcached_server", namedBy: "memcached_server" };
  }
  return name === undefined ? sessionCacheOf(settings) : placeOf(name, "shared_cache", settings);
}

/** Every place once, by the setting that names it: the place of sessions may be derived from that. */
export function cachePlacesOf(settings: CacheSettings): readonly CachePlace[] {
  const places = [sharedCacheOf(settings), sessionCacheOf(settings)].filter((place) => place !== undefined);
  const isSame = (one: CachePlace, other: CachePlace) =>
    one.name === other.name && one.location === other.location;
  return places.filter((place, at) => places.findIndex((other) => isSame(place, other)) === at);
}

function placeOf(name: string, namedBy: CachePlace["namedBy"], settings: CacheSettings): CachePlace {
  return { name, location: settings["session.url"], locatedBy: "session.url", namedBy };
}

/** A sentence about a place without location; undefined if each has one. */
export function missingLocation(settings: CacheSettings): string | undefined {
  const place = cachePlacesOf(settings).find(({ location }) => location === undefined);
  if (!place) return undefined;
  const unless = place.name === MEMCACHED ? " unless memcached_server is set" : "";
  return `Is required with ${place.namedBy} ${
    quote(String(settings[place.namedBy]))
  }${unless}, found nothing`;
}
