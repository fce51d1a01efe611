/**
 * The request of a program that a form stands for.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind } from "@/config/mod.ts";
import { defined } from "@/core/base/defined.ts";
import { withoutUnusedParameters } from "@/core/definitions/parameter_types.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { TOKEN_FIELD } from "@/core/identity/cross_site.ts";
import type { JsonObject } from "@/core/model.ts";
import { formMembers } from "@/core/pages/form_members.ts";
import { readName } from "@/core/request/path_grammar.ts";
import type { Service } from "@/core/service.ts";
import { innerRequest } from "./inner_request.ts";
import type { RunAnswer } from "./run_query.ts";

/** A form as it was sent. */
export interface SentForm {
  /** The path of the resource below the prefix, without extension. */
  readonly path: string;
  readonly values: Map<string, readonly string[]>;
  /** The definition that it makes, or changes if there is an id. */
  readonly about: { readonly kind: DefinitionKind; readonly id: string | undefined } | undefined;
}

/** The definition that a form with this path is about. */
export function definitionAt(path: string, { grammar }: Service): SentForm["about"] {
  const [, kind, id] = /^\/(dbdef|querydef|userdef)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (kind === undefined) return undefined;
  return { kind: kind as DefinitionKind, id: id === undefined ? undefined : readName(id, grammar).literal };
}

const METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "DELETE"]);

/** The request, or a mistake in a field that cannot be read. */
export function readable(make: () => Exchange): Exchange | ServiceError {
  try {
    return make();
  } catch (error) {
    if (error instanceof ServiceError && error.complaints.length > 0) return error;
    throw error;
  }
}

/** The request of a program that does the same; `instead` has another method or address. */
export function requestOf(
  sent: SentForm,
  exchange: Exchange,
  instead?: Partial<RunAnswer> & { readonly method?: string; readonly target: string },
): Exchange {
  const { path, values, about } = sent;
  const { prefix, databases } = exchange.service;
  const method = instead?.method ?? values.get("ui.method")?.[0] ?? "POST";
  if (!METHODS.has(method)) throw badRequest("The form has no method that changes something");
  const target = prefix + (instead?.target ?? `${path}.json`);
  const token = inHeader(TOKEN_FIELD, values);
  const match = method === "POST" ? undefined : inHeader("ui.match", values);
  const membersOf = () => {
    const members = instead ? checkedMembers(sent) : formMembers(path, values);
    return about?.kind === "querydef" ? withoutUnusedParameters(members, databases) : members;
  };
  const body = method === "DELETE" ? undefined : values.get("ui.csv")?.[0] ?? membersOf();
  const isHandedOver = instead?.isHandedOver;
  return innerRequest(exchange, { method, target, ...defined({ body, token, match, isHandedOver }) });
}

/** A field that becomes a header. Throws 400 for a text that no page of this service has. */
function inHeader(name: string, values: SentForm["values"]): string | undefined {
  const [value] = values.get(name) ?? [];
  if (value === undefined || /^[\w-]*$/.test(value)) return value;
  throw badRequest(`The form has another ${quote(name)} than a page of this service`);
}

/** The members of a test; that of a query that is run has the values of its parameters. */
function checkedMembers(sent: SentForm): JsonObject {
  const members = formMembers(sent.path, withId(sent));
  if (sent.values.get("ui.check")?.[0] !== "run") return members;
  // The switch for NULL follows its field.
  const given = [...sent.values].flatMap(([field, [value = ""]]) => {
    const [, kind, name] = /^ui\.(arg|null)\.(.+)$/s.exec(field) ?? [];
    return name === undefined ? [] : [[name, kind === "null" ? null : value] as const];
  });
  return { ...members, arguments: Object.fromEntries(given) };
}

/**
 * A test of a definition that exists names it, so that secrets that are not
 * typed again are those of the file.
 */
function withId({ about, values }: SentForm): SentForm["values"] {
  if (about?.id === undefined) return values;
  return new Map(values).set(`s.${DEFINITION_FILES[about.kind].idMember}`, [about.id]);
}
