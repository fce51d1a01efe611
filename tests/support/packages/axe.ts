/**
 * axe-core, which judges whether everybody can use a page; it runs in the page.
 *
 * @module
 */

import axe from "npm:axe-core@4.14.1/axe.min.js";

/** The script that defines `axe`. */
export const AXE_SOURCE: string = axe.source;
