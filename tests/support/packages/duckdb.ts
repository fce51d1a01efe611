/**
 * DuckDB, a native add-on, for the dialect in examples/.
 *
 * @module
 */

export { DuckDBInstance } from "npm:@duckdb/node-api@1.5.6-r.1";
