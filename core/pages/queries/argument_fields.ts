/**
 * The fields of forms for the values of a query's parameters.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { YES_NO } from "@/core/pages/blocks.ts";
import type { PageField } from "@/plugins/contract.ts";

/** The inputs for arguments by the type of the parameter. */
const INPUTS: Readonly<Record<string, Pick<PageField, "input" | "options" | "hint">>> = {
  text: { input: "text" },
  integer: { input: "text" },
  decimal: { input: "text", hint: "For example 12.5." },
  date: { input: "date" },
  datetime: { input: "text", hint: "For example 2031-05-27 07:30:00." },
  // The blank choice is the first: a browser chooses the first one by itself.
  boolean: { input: "select", options: [{ value: "", label: "" }, ...YES_NO] },
};

/** The types that a parameter may have. */
export const ARGUMENT_TYPES: readonly string[] = Object.keys(INPUTS);

/** An argument in a form; an undeclared type is text. */
interface Argument extends Pick<PageField, "isRequired"> {
  /** Default: the name of the parameter. */
  readonly label?: string;
  readonly type: string | undefined;
  readonly value: string | null | undefined;
  readonly problem: string | undefined;
}

/** A field for each argument, with a switch for NULL; the names of both begin with the prefixes. */
export function argumentFields(
  names: readonly string[],
  [typed, nothing]: readonly [typed: string, nothing: string],
  argumentOf: (name: string) => Argument,
): readonly PageField[] {
  return names.map((name) => {
    const { label = name, type = "text", value, problem, ...more } = argumentOf(name);
    return {
      kind: "field",
      name: typed + name,
      label,
      value: value ?? "",
      nothing: { name: nothing + name, label: "NULL", isOn: value === null },
      ...defined({ problem }),
      ...(INPUTS[type] ?? { input: "text" }),
      ...more,
    };
  });
}
