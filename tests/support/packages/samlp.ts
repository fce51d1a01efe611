/**
 * samlp, a provider of SAML.
 *
 * @module
 */

// @ts-types="./samlp.d.ts"
export { default } from "npm:samlp@8.0.0";
