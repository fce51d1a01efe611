/**
 * html-validate, which judges HTML offline.
 *
 * @module
 */

export { HtmlValidate, StaticConfigLoader } from "npm:html-validate@11.18.0";
