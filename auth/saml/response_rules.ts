/**
 * The rules for SAML responses.
 *
 * @module
 */

import type { SignatureRules } from "./check_signature.ts";
import type { DecryptionRules } from "./decrypt.ts";
import type { Schemas } from "./schema.ts";
import type { SecuritySettings } from "./security_settings.ts";
import type { Clock } from "./times.ts";

/** The context of reading a response. */
export interface ResponseRules extends SignatureRules, DecryptionRules {
  readonly schemas: Schemas;
  readonly security: SecuritySettings;
  /** The provider's entity id. */
  readonly issuer: string;
  /** The entity id of this service, and its address for responses. */
  readonly audience: string;
  readonly destination: string;
  readonly clock: Clock;
}
