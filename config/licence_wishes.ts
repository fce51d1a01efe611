/**
 * The options of `licence issue`.
 *
 * @module
 */

import { readText, readWhole, UsageError, type Values } from "./option_values.ts";

/** The content of a new licence. */
export interface LicenceWishes {
  /** The file of the private key; created if it does not exist. */
  readonly privateKey: string;
  readonly licensee: string;
  readonly edition: string;
  /** Days from now. */
  readonly days: number;
  readonly maxUsers?: number;
  readonly maxDatabases?: number;
  readonly features: readonly string[];
}

const MOST = { least: 1, greatest: 999_999_999 };

/** Throws a {@link UsageError}. */
export function readWishes(values: Values): LicenceWishes {
  const maxUsers = readWhole(values, "max-users", MOST);
  const maxDatabases = readWhole(values, "max-databases", MOST);
  const features = (readText(values, "features") ?? "").split(",").map((name) => name.trim()).filter(Boolean);
  const unknown = features.find((name) => name !== "jwt" && name !== "saml");
  if (unknown !== undefined) refuseWish(`--features knows jwt and saml, not "${unknown}"`);
  return {
    privateKey: readText(values, "private-key") ?? refuseWish("--private-key FILE is needed"),
    licensee: readText(values, "licensee") ?? refuseWish("--licensee NAME is needed"),
    edition: readText(values, "edition") ?? "enterprise",
    days: readWhole(values, "days", { least: 1, greatest: 36_500 }) ?? 365,
    features,
    ...(maxUsers === undefined ? {} : { maxUsers }),
    ...(maxDatabases === undefined ? {} : { maxDatabases }),
  };
}

function refuseWish(sentence: string): never {
  throw new UsageError(`${sentence}\nUsage: main.ts licence issue [options]`);
}
