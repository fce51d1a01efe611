/** @module Where the project is. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of the project's root. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
