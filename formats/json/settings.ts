/**
 * The settings `json_sdb.` of service.ini.
 *
 * @module
 */

import type { Section } from "@/plugins/contract.ts";

/** The defaults of writing JSON. */
export interface JsonSettings {
  /** Spaces per level; 0 puts everything on one line. */
  readonly indent: number;
  /** Whether references to records are included. */
  readonly href: boolean;
  /** Whether a single record is an array with one item. */
  readonly singleAsArray: boolean;
}

/** The defaults equal those of `json_sdb.` in config/settings.ts. */
export function readSettings(section: Section): JsonSettings {
  return {
    indent: typeof section["indent"] === "number" ? section["indent"] : 4,
    href: section["href"] !== false,
    singleAsArray: section["single_as_array"] === true,
  };
}
