/**
 * The rules for reading messages of a provider.
 *
 * @module
 */

import type { KeyObject } from "node:crypto";
import type { Schemas } from "./schema.ts";
import type { SecuritySettings } from "./security_settings.ts";
import type { SpSettings } from "./settings.ts";

/** Seconds for which ids of messages are remembered; longer than any message is valid. */
export const MESSAGE_LIFETIME = 86_400;

/** The context of reading a message. */
export interface MessageRules {
  readonly schemas: Schemas;
  /** This service: its names, its addresses, and the key that decrypts. */
  readonly sp: SpSettings;
  readonly security: SecuritySettings;
  /**
   * The keys that verify signatures: from the configuration or the provider's
   * metadata, never from the message.
   */
  readonly keys: readonly KeyObject[];
  /** The provider's entity id. */
  readonly issuer: string;
  /**
   * The present time in milliseconds since 1970, and the permitted difference between clocks in milliseconds.
   */
  readonly now: number;
  readonly skew: number;
}
