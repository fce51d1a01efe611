/**
 * openapi-client-axios, a client that is made from an OpenAPI document.
 *
 * @module
 */

export { OpenAPIClientAxios } from "npm:openapi-client-axios@7.9.1";
