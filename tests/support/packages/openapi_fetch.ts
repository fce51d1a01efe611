/**
 * A client whose calls have the types of an OpenAPI document.
 *
 * @module
 */

export { default as createClient } from "npm:openapi-fetch@0.17.0";
