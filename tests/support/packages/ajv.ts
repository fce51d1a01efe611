/**
 * ajv, which judges JSON by JSON Schemas, and its formats.
 *
 * @module
 */

export { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
export { default as addFormats } from "npm:ajv-formats@3.0.1";
