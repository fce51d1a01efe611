/**
 * Guards a dialect that was set up: it gets the options of its databases only with its declared types.
 *
 * @module
 */

import { type Complaint, formatComplaint, readOptions } from "@/config/mod.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import type { DatabaseOptions, Dialect } from "@/plugins/contract.ts";

/** A dialect as the core uses it. */
export interface LoadedDialect extends Dialect {
  readonly name: string;
  /** The options that its databases may have. */
  readonly options: DatabaseOptions;
  /** Mistakes in the options of a definition; their keys begin with `options`. */
  complaintsAbout(definition: Pick<DatabaseDefinition, "options">): readonly Complaint[];
}

/** The dialect, whose `connect` gets typed options and is not called with wrong ones. */
export function guardDialect(
  name: string,
  dialect: Dialect,
  { options, directory }: { readonly options: DatabaseOptions; readonly directory: string },
): LoadedDialect {
  const { hasLogins, directories, requireFileIn, files } = dialect;
  return {
    name,
    ...(hasLogins === undefined ? {} : { hasLogins }),
    ...(directories ? { directories } : {}),
    ...(requireFileIn ? { requireFileIn: requireFileIn.bind(dialect) } : {}),
    ...(files ? { files } : {}),
    options,
    complaintsAbout: (definition) => readOptions(options, definition.options, directory).complaints,
    async connect(definition, login, connecting) {
      const { section, complaints } = readOptions(options, definition.options, directory);
      if (complaints.length > 0) throw new Error(complaints.map(formatComplaint).join("; "));
      return await dialect.connect({ ...definition, options: section }, login, connecting);
    },
  };
}

/**
 * Complaints about the options of a definition, in the file that has it. A
 * dialect that is not loaded has none.
 */
export function optionComplaints(
  definition: DatabaseDefinition,
  dialect: LoadedDialect | undefined,
  file: string,
): readonly Complaint[] {
  const complaints = dialect?.complaintsAbout(definition) ?? [];
  return complaints.map(({ key, message }) => ({ file, key: `${definition.id}.${key}`, message }));
}
