/**
 * The command line of `licence issue` and `licence show`.
 *
 * @module
 */

import type { ParseArgsConfig } from "node:util";

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

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The options of `licence issue` for `parseArgs` of `node:util`. */
export const ISSUE_OPTIONS: NonNullable<ParseArgsConfig["options"]> = {
  "private-key": { type: "string" },
  "licensee": { type: "string" },
  "edition": { type: "string" },
  "days": { type: "string" },
  "max-users": { type: "string" },
  "max-databases": { type: "string" },
  "features": { type: "string" },
};

/** A line of help for each option of `licence issue`, by its name. */
export const ISSUE_HELP: readonly (readonly [string, string])[] = [
  ["private-key", "--private-key FILE  key that signs; made, with its public key shown, where there is none"],
  ["licensee", "--licensee NAME     who it is for"],
  ["edition", "--edition NAME      name of the edition (default: enterprise)"],
  ["days", "--days N            days that it is valid for (default: 365)"],
  ["max-users", "--max-users N       users beside public (default: any number)"],
  ["max-databases", "--max-databases N   databases (default: any number)"],
  ["features", "--features LIST     jwt, saml, with commas between them (default: none)"],
];

/** Reads the content of the licence; `complain` gets a sentence about a mistake and does not return. */
export function readWishes(values: Values, complain: (sentence: string) => never): LicenceWishes {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const count = (name: string, most: number) => {
    const written = text(name);
    if (written === undefined) return undefined;
    const value = /^\d{1,9}$/.test(written) ? Number(written) : NaN;
    return value >= 1 && value <= most ? value : complain(`--${name} is a whole number from 1 to ${most}`);
  };
  const maxUsers = count("max-users", 999_999_999);
  const maxDatabases = count("max-databases", 999_999_999);
  const features = (text("features") ?? "").split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  );
  const unknown = features.find((name) => name !== "jwt" && name !== "saml");
  if (unknown !== undefined) complain(`--features knows jwt and saml, not "${unknown}"`);
  return {
    privateKey: text("private-key") ?? complain("--private-key FILE is needed"),
    licensee: text("licensee") ?? complain("--licensee NAME is needed"),
    edition: text("edition") ?? "enterprise",
    days: count("days", 36_500) ?? 365,
    features,
    ...(maxUsers === undefined ? {} : { maxUsers }),
    ...(maxDatabases === undefined ? {} : { maxDatabases }),
  };
}
