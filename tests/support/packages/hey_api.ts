/**
 * Makes a client of OpenAPI documents.
 *
 * @module
 */

export { createClient } from "npm:@hey-api/openapi-ts@0.99.0";
