/**
 * The parts of the driver that this dialect uses.
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

/** The type of a parameter in the protocol. */
export type WireType = (typeof TYPES)[keyof typeof TYPES];

/** A cell as the driver decodes it. */
export interface DriverCell {
  readonly value: unknown;
}
