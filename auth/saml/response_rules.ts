/**
 * What SAML responses are checked against.
 *
 * @module
 */

import type { SignatureRules } from "./check_signature.ts";
import type { DecryptionRules } from "./decrypt.ts";
import type { Schemas } from "./schema.ts";
import type { SecuritySettings } from "./security_settings.ts";
import type { Clock } from "./times.ts";

/** What a response is read with. */
export interface ResponseRules extends SignatureRules, DecryptionRules {
  readonly schemas: Schemas;
  readonly security: SecuritySettings;
  /** The provider. */
  readonly issuer: string;
  /** This service, and where its responses come to. */
  readonly audience: string;
  readonly destination: string;
  readonly clock: Clock;
}
