/**
 * Plans `?schema`: the schema of the answer to the same request.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { badRequest } from "@/core/errors.ts";
import type { Redirect, SchemaPlan } from "@/core/plan.ts";
import type { NamedFormat } from "@/core/request/formats.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import { expand, formOf, shapeOf } from "./answer_shape.ts";
import { placeOf, type ReadInput } from "./compile_read.ts";
import { walkInput } from "./plan_read.ts";
import type { Shape } from "@/plugins/contract.ts";

/** Throws 400 if neither the format nor JSON has schemas; redirects (303) if a simpler URL has the same schema. */
export function planSchema(input: ReadInput): SchemaPlan | Redirect {
  const { request, service } = input;
  requireUseful(request, "read");
  const format = schemaFormat("schema", request, service);
  const walk = walkPath(input.segments, walkInput(input));
  const form = formOf(walk, request.parameters);
  const simpler = simplerPath(input, walk, form);
  if (simpler !== undefined) return { kind: "redirect", status: 303, location: simpler };
  const expansions = expand(walk.last.table, walk.columns ? 0 : request.parameters.depth ?? 0);
  const shape = shapeOf(walk, form, placeOf(input), expansions);
  return planSchemaOf({ by: "schema", shape }, request, service, format);
}

/** The schema of an answer. Throws 400 if neither the format nor JSON has schemas of its kind. */
export function planSchemaOf(
  described: SchemaPlan["described"],
  request: ApiRequest,
  service: Service,
  format: NamedFormat = schemaFormat(described.by, request, service),
): SchemaPlan {
  const { href, nil_visible: nilVisible, cardinality = "unbounded" } = request.parameters;
  const contentType = format.format.schemaContentType ?? format.format.contentTypes[0] ?? "";
  const { charset } = service.encoder;
  const options = { contentType, charset, cardinality, ...defined({ href, nilVisible }) };
  return { kind: "schema", format, described, options };
}

/** The request's format, or the one whose schemas it shows, else JSON: the first one that writes such schemas. */
function schemaFormat(
  by: SchemaPlan["described"]["by"],
  { format }: ApiRequest,
  { formats }: Service,
): NamedFormat {
  const { schemasOf } = format.format;
  const own = schemasOf === undefined ? format : formats.get(schemasOf);
  for (const shown of [own, formats.get("json")]) if (shown?.format[by]) return shown;
  const known = formats.names.filter((name) => formats.get(name)?.format[by] !== undefined);
  throw badRequest(`Cannot give a schema in format ${format.name}: use one of ${known.join(", ")}`);
}

/** The schema of a list is that of its table: filters and earlier steps have no effect. */
function simplerPath(input: ReadInput, walk: Walk, form: Shape["form"]): string | undefined {
  const { request } = input;
  const isList = form === "records" || form === "values" || form === "columns";
  const { table, filters } = walk.last;
  if (!isList || (walk.steps.length === 1 && filters.length === 0)) return undefined;
  const columns = walk.columns ? `/${request.segments.at(-1) ?? ""}` : "";
  const extension = request.negotiated ? "" : `.${request.format.name}`;
  const query = request.query === "" ? "" : `?${request.query}`;
  return encodeUrl(`${placeOf(input).databasePath}/${table.segment}${columns}${extension}${query}`);
}
