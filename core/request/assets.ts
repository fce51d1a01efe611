/**
 * The files that pages load, under addresses that contain the hash of their content: browsers keep them for a
 * year, and a new version has new addresses. Pure but for the hash.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Asset } from "@/plugins/contract.ts";
import type { FormatTable } from "./formats.ts";

/** Path of the files below the prefix. */
export const ASSETS = "/assets/";

/** The files of all formats. */
export interface AssetTable {
  /** By `{hash}/{name}`. */
  readonly files: ReadonlyMap<string, Asset>;
  /** The path of a format's file below the prefix. Throws for one that the format does not have. */
  pathOf(format: string, name: string): string;
}

/**
 * Collects the files of all formats. The hash is that of one format's files together, so they fit each other.
 */
export function collectAssets(formats: FormatTable): AssetTable {
  const files = new Map<string, Asset>();
  const hashes = new Map<string, string>();
  for (const format of formats.names) {
    const own = formats.get(format)?.format.assets ?? new Map<string, Asset>();
    const hash = hashOf(own);
    hashes.set(format, hash);
    for (const [name, asset] of own) files.set(`${hash}/${name}`, asset);
  }
  return {
    files,
    pathOf(format, name) {
      const key = `${hashes.get(format)}/${name}`;
      if (!files.has(key)) throw new TypeError(`Format ${format} has no asset ${name}`);
      return ASSETS + key;
    },
  };
}

function hashOf(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash("sha256");
  for (const [name, { bytes }] of assets) hash.update(`${name}\n${bytes.length}\n`).update(bytes);
  return hash.digest("hex").slice(0, 16);
}
