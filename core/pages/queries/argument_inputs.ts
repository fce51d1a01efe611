/**
 * The inputs of forms for the values of a query's parameters.
 *
 * @module
 */

import type { PageField } from "@/plugins/contract.ts";

/** The inputs for arguments by the type of the parameter. */
export const ARGUMENT_INPUTS: Readonly<Record<string, Pick<PageField, "input" | "options" | "hint">>> = {
  text: { input: "text" },
  integer: { input: "text" },
  decimal: { input: "text" },
  date: { input: "date" },
  datetime: { input: "text", hint: "As in 2031-05-27T18:30:00." },
  boolean: { input: "select", options: [{ value: "true", label: "yes" }, { value: "false", label: "no" }] },
};
