/**
 * Vega, which is bundled for charts.
 *
 * @module
 */

import "npm:vega@6.4.0";
