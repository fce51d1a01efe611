/**
 * Redocly's judge of OpenAPI documents.
 *
 * @module
 */

export { createConfig, lintFromString } from "npm:@redocly/openapi-core@2.64.0";
