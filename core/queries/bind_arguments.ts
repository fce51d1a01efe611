/**
 * The arguments of a saved query as its database's driver wants them. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { Value } from "@/core/model.ts";
import { parameterColumn, type QueryParameters } from "./arguments.ts";
import type { Database } from "@/plugins/contract.ts";

/** Values in the order of the parameters as the driver wants them. Throws 400 for one that the engine cannot take. */
export function bindArguments(
  values: readonly Value[],
  { names, definition, urlTemplate }: QueryParameters,
  { sql: { argument } }: Database,
): readonly unknown[] {
  if (!argument) return values;
  return values.map((value, index) => {
    const name = names[index] ?? "";
    try {
      return argument(value, parameterColumn(name, value, definition));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = `Cannot run query ${quote(definition.id)}: parameter ${quote(name)}: ${error.message}`;
      throw new ServiceError("bad-request", message, { urlTemplate });
    }
  });
}
