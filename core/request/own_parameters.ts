/**
 * Query parameters that formats declare. They are accepted with every format, so that the
 * extension of a URL can be changed. Pure.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { AuthMethod, Format, FormatParameter } from "@/plugins/contract.ts";
import { PARAMETERS } from "./parameter_table.ts";
import { flag, natural, oneOf, type Parse, shortText } from "./parameter_values.ts";

/** A format that may declare parameters. */
interface Declaring {
  readonly name: string;
  readonly format: Pick<Format, "parameters">;
}

/** A parameter of a format, with its parser. */
export interface OwnParameter extends Pick<FormatParameter, "parts"> {
  readonly parse: Parse<boolean | number | string>;
}

/** The parameters of all formats by name. */
export function ownParameters(formats: readonly Declaring[]): ReadonlyMap<string, OwnParameter> {
  return new Map(
    declared(formats).map(({ name, parameter }) => {
      const { type, values, parts } = parameter;
      const read = PARSERS[type];
      return [name, { parse: values ? (text, at) => read(oneOf(values)(text, at), at) : read, parts }];
    }),
  );
}

/** Sentences about names that are taken or unusable, each with the format. */
export function complaintsAboutParameters(
  formats: readonly Declaring[],
): readonly { readonly format: string; readonly sentence: string }[] {
  const owners = new Map<string, { readonly format: string; readonly meaning: string }>();
  return declared(formats).flatMap(({ format, name, parameter }) => {
    const meaning = JSON.stringify([parameter.type, parameter.values, parameter.parts]);
    const owner = owners.get(name) ?? { format, meaning };
    owners.set(name, owner);
    const what = `The parameter ${quote(name)} of the format ${quote(format)}`;
    if (!NAME.test(name)) return [{ format, sentence: `${what} must consist of letters and underscores` }];
    if (PARAMETERS.has(name)) {
      return [{ format, sentence: `${what} has the name of a parameter of the service` }];
    }
    if (owner.meaning === meaning) return [];
    return [{ format, sentence: `${what} differs from that of the format ${quote(owner.format)}` }];
  });
}

const NAME = /^[A-Za-z_]+$/;

/**
 * Sentences about query parameters for the credentials of methods that requests need for something else,
 * each with the method.
 */
export function complaintsAboutCredentials(
  methods: readonly { readonly name: string; readonly method: Pick<AuthMethod, "queryParameters"> }[],
  ofFormats: ReadonlyMap<string, OwnParameter>,
): readonly { readonly method: string; readonly sentence: string }[] {
  const isTaken = (name: string) => PARAMETERS.has(name) || ofFormats.has(name) || name.startsWith("ui.");
  return methods.flatMap(({ name: method, method: { queryParameters = [] } }) =>
    queryParameters.filter(isTaken).map((name) => {
      const what = `The query parameter ${quote(name)} of the authentication method ${quote(method)}`;
      return { method, sentence: `${what} has the name of a parameter of the service` };
    })
  );
}

function declared(formats: readonly Declaring[]) {
  return formats.flatMap(({ name: format, format: { parameters = {} } }) =>
    Object.entries(parameters).map(([name, parameter]) => ({ format, name, parameter }))
  );
}

const PARSERS: Readonly<Record<FormatParameter["type"], OwnParameter["parse"]>> = {
  boolean: flag,
  integer: natural(Number.MAX_SAFE_INTEGER),
  text: shortText(200),
};
