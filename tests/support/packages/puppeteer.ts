/**
 * puppeteer-core, which drives the Chromium that is installed.
 *
 * @module
 */

export {
  type Browser,
  type CDPSession,
  default as puppeteer,
  type ElementHandle,
  type HTTPResponse,
  type Page,
} from "npm:puppeteer-core@25.16.0";
