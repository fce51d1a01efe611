/**
 * CodeMirror, which the editor of SQL is made of. `deno task assets` bundles it; the service
 * itself loads no package for pages.
 *
 * @module
 */

export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "npm:@codemirror/autocomplete@6.20.4";
export { defaultKeymap, history, historyKeymap } from "npm:@codemirror/commands@6.11.1";
export { MariaSQL, MSSQL, PostgreSQL, sql, SQLite, StandardSQL } from "npm:@codemirror/lang-sql@6.10.0";
export { bracketMatching, HighlightStyle, syntaxHighlighting } from "npm:@codemirror/language@6.13.1";
export { type Diagnostic, linter, setDiagnostics } from "npm:@codemirror/lint@6.9.8";
export { Compartment, type Extension } from "npm:@codemirror/state@6.7.6";
export { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "npm:@codemirror/view@6.43.15";
export { tags } from "npm:@lezer/highlight@1.2.5";
