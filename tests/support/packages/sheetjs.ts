/**
 * SheetJS, which reads and writes workbooks, by others.
 *
 * @module
 */

export { type CellObject, read, utils, write } from "npm:@e965/xlsx@0.20.3";
