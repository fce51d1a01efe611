/**
 * The settings behind `json_sdb.` in service.ini.
 *
 * @module
 */

import type { Section } from "@/plugins/contract.ts";

export interface JsonSettings {
  /** Spaces per level; 0 puts everything on one line. */
  readonly indent: number;
  readonly href: boolean;
  readonly singleAsArray: boolean;
}

export function readSettings(section: Section): JsonSettings {
  return {
    indent: typeof section["indent"] === "number" ? section["indent"] : 4,
    href: section["href"] !== false,
    singleAsArray: section["single_as_array"] === true,
  };
}
