/**
 * oidc-provider, a provider of OpenID Connect.
 *
 * @module
 */

// @ts-types="./oidc_provider.d.ts"
export { Provider } from "npm:oidc-provider@9.13.3";
