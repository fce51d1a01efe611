/**
 * The settings behind `json_sdb.` in service.ini.
 *
 * @module
 */

import type { Section } from "@/plugins/contract.ts";

/** How JSON is written unless a request says otherwise. */
export interface JsonSettings {
  /** Spaces per level; 0 puts everything on one line. */
  readonly indent: number;
  /** Whether references to records are included. */
  readonly href: boolean;
  /** Whether a single record is an array of one. */
  readonly singleAsArray: boolean;
}

/** What is absent has the default of `json_sdb.` in config/settings.ts. */
export function readSettings(section: Section): JsonSettings {
  return {
    indent: typeof section["indent"] === "number" ? section["indent"] : 4,
    href: section["href"] !== false,
    singleAsArray: section["single_as_array"] === true,
  };
}
