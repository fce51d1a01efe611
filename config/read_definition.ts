/**
 * Reads a database definition that stands in no file: it is only to be tried.
 *
 * @module
 */

import type { DatabaseDefinition } from "@/core/model.ts";
import { type Complaint, ConfigurationError } from "./complaints.ts";
import { readDatabase } from "./databases.ts";
import type { Members } from "./edit_entry.ts";

/** Nothing in it is taken from the environment. Throws {@link ConfigurationError} with everything that is wrong. */
export function readDefinition(id: string, members: Members): DatabaseDefinition {
  const complaints: Complaint[] = [];
  const definition = readDatabase(id, members, { file: "", key: "", complaints });
  if (complaints.length > 0) throw new ConfigurationError(complaints);
  return definition;
}
