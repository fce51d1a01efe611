/**
 * Plans `?schema`: the schema of what the same request would answer.
 *
 * @module
 */

import { quote, ServiceError } from "./errors.ts";
import { encodeUrl } from "./links.ts";
import type { Described } from "./documents.ts";
import type { NamedFormat } from "./negotiate.ts";
import { placeOf, type ReadInput, walkInput } from "./plan_read.ts";
import type { Plan } from "./plan.ts";
import type { ApiRequest } from "./request.ts";
import type { Service } from "./service.ts";
import { expand, formOf, shapeOf } from "./shapes.ts";
import { type Walk, walkPath } from "./walk.ts";
import type { SchemaOptions, Shape } from "@/plugins/contract.ts";

export interface SchemaPlan {
  readonly kind: "schema";
  readonly shape: Shape;
  readonly options: SchemaOptions;
  /** The format whose schema it is: the request's own, or the one that it shows the schemas of. */
  readonly format: NamedFormat;
}

/** Throws 400 where the format has no schemas; redirects (303) where a simpler URL has the same one. */
export function planSchema(input: ReadInput): Plan {
  const { request, service } = input;
  const format = schemaFormat(request, service);
  const walk = walkPath(input.segments, walkInput(input));
  const { parameters } = request;
  const form = parameters.transpose ? "columns" : formOf(walk, { wantarray: parameters.wantarray ?? false });
  const simpler = simplerPath(input, walk, form);
  if (simpler !== undefined) return { kind: "redirect", status: 303, location: simpler };
  const expansions = expand(walk.last.table, walk.columns ? 0 : parameters.depth ?? 0);
  const shape = shapeOf(walk, form, { place: placeOf(input), expansions });
  return { kind: "schema", shape, format, options: schemaOptions(request, service) };
}

/** The schema of a list of databases or tables. */
export function planDocumentSchema({ schema }: Described, request: ApiRequest, service: Service): SchemaPlan {
  const format = schemaFormat(request, service);
  if (!schema) {
    throw new ServiceError(
      "bad-request",
      `Cannot give a schema of ${quote(request.path)}: it is no table data`,
    );
  }
  const { shape, wrapper } = schema;
  const options = { ...schemaOptions(request, service), ...(wrapper === undefined ? {} : { wrapper }) };
  return { kind: "schema", shape, format, options };
}

function schemaFormat({ format }: ApiRequest, { formats }: Service): NamedFormat {
  const { schemasOf } = format.format;
  const shown = schemasOf === undefined ? format : formats.get(schemasOf);
  if (shown?.format.schema) return shown;
  const known = formats.names.filter((name) => formats.get(name)?.format.schema !== undefined);
  throw new ServiceError(
    "bad-request",
    `Cannot give a schema in format ${format.name}: use one of ${known.join(", ")}`,
  );
}

function schemaOptions({ parameters }: ApiRequest, service: Service): SchemaOptions {
  const { href, nil_visible: nilVisible, cardinality } = parameters;
  return {
    contentType: "",
    charset: service.encoder.charset,
    cardinality: cardinality ?? "unbounded",
    ...(href === undefined ? {} : { href }),
    ...(nilVisible === undefined ? {} : { nilVisible }),
  };
}

/** A list has the schema of its whole table: filters and the way there do not matter. */
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

/** The content type of a format's schemas. */
export function schemaContentType({ format }: NamedFormat): string {
  return format.schemaContentType ?? format.contentTypes[0] ?? "";
}
