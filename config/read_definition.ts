/**
 * Reads definitions without a file, to try them.
 *
 * @module
 */

import type { DatabaseDefinition, QueryDefinition } from "@/core/model.ts";
import { type Complaint, ConfigurationError, type Place } from "./complaints.ts";
import { readDatabase } from "./databases.ts";
import type { Members } from "./edit_entry.ts";
import { readQuery } from "./queries.ts";

/** References to the environment are not expanded. Throws {@link ConfigurationError} with all mistakes. */
export function readDefinition(id: string, members: Members): DatabaseDefinition {
  return readAlone((place) => readDatabase(id, members, place));
}

/** Like {@link readDefinition}, for a saved query. */
export function readQueryDefinition(id: string, members: Members): QueryDefinition {
  return readAlone((place) => readQuery(id, members, place));
}

function readAlone<T>(read: (place: Place) => T): T {
  const complaints: Complaint[] = [];
  const definition = read({ file: "", key: "", complaints });
  if (complaints.length > 0) throw new ConfigurationError(complaints);
  return definition;
}
