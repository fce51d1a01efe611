/**
 * Vega-Lite, which is bundled for charts.
 *
 * @module
 */

import "npm:vega-lite@6.5.0";
