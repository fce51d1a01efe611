/**
 * Dagre, which is bundled for diagrams.
 *
 * @module
 */

import "npm:@dagrejs/dagre@3.1.3";
