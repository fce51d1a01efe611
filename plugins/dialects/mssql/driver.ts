/**
 * The driver, as this dialect uses it.
 *
 * @module
 */

export {
  Connection,
  type ConnectionConfiguration,
  ConnectionError,
  type ConnectionOptions,
  InputError,
  ISOLATION_LEVEL,
  Request,
  RequestError,
  TYPES,
} from "tedious";
import type { TYPES } from "tedious";

/** How a parameter travels. */
export type WireType = (typeof TYPES)[keyof typeof TYPES];

/** A cell as the driver decodes it. */
export interface DriverCell {
  readonly value: unknown;
}
