/**
 * csv-parse, a reader of CSV by others.
 *
 * @module
 */

export { CsvError, parse } from "npm:csv-parse@7.0.3/sync";
