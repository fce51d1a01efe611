/**
 * Makes types of OpenAPI documents.
 *
 * @module
 */

export { astToString, default as typesOf } from "npm:openapi-typescript@7.13.0";
