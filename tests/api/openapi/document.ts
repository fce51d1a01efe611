/**
 * Reads OpenAPI documents as a client does.
 *
 * @module
 */

import { addFormats, Ajv2020 } from "@/tests/support/packages/ajv.ts";
import type { TestService } from "@/tests/support/service.ts";

/** The parts of a document that the tests look at. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The operations of one path, by method. */
export type PathItem = { readonly [method in Method]?: Operation } & {
  readonly parameters?: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: unknown;
    readonly example: unknown;
  }[];
};

/** The tested members of an operation. */
export interface Operation {
  readonly operationId: string;
  readonly security?: OpenApi["security"];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

/** A method as documents write it. */
export type Method = (typeof METHODS)[number];
const METHODS = ["get", "post", "put", "delete"] as const;

/** The header with the API key; none for `public`. */
export function credentials(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { apikey: key };
}

/** The document as a caller with this key gets it. Throws unless the answer is 200. */
export async function readDocument(
  service: TestService,
  key?: string,
  path = "/openapi.json",
): Promise<OpenApi> {
  const response = await service.fetch(path, { headers: credentials(key) });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** Every operation of a document as `GET /db.json`. */
export function operationsOf(document: OpenApi): readonly (readonly [string, Operation])[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [[`${method.toUpperCase()} ${path}`, operation] as const] : [];
    })
  );
}

/** A document's description of an answer with this status; undefined without one. */
export function describedAnswer(
  document: OpenApi,
  { responses }: Operation,
  status: number,
): { readonly content?: Content; readonly headers?: Readonly<Record<string, unknown>> } | undefined {
  const described = responses[String(status)];
  const [, name] = /^#\/components\/responses\/(.+)$/.exec(described?.$ref ?? "") ?? [];
  return name === undefined ? described : document.components["responses"]?.[name] as { content?: Content };
}

/** The complaints about a value under a schema of the document; empty for a valid one. */
export function complaintsAbout(document: OpenApi, schema: object, value: unknown): readonly string[] {
  const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  const validate = judgeOf(document).compile(JSON.parse(absolute));
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const judges = new WeakMap<OpenApi, Ajv2020>();

/** The judge that knows the components of a document. It compiles each of them once. */
function judgeOf(document: OpenApi): Ajv2020 {
  const known = judges.get(document);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "document", components: document.components });
  judges.set(document, ajv);
  return ajv;
}

/**
 * The path of a template with the key of the first record in the table's list.
 * Undefined if the table has no record.
 */
export async function examplePath(
  document: OpenApi,
  template: string,
  fetchJson: (path: string) => Promise<unknown>,
): Promise<string | undefined> {
  const end = template.lastIndexOf("}");
  if (end < 0) return template;
  const lists = Object.keys(document.paths).filter((path) => !path.includes("{") && path.endsWith(".json"));
  const list = lists.findLast((path) =>
    template.startsWith(path.replace(/\.json$/, "/")) && /^(\/[^/]+){3}$/.test(path)
  );
  const records = list === undefined ? [] : await fetchJson(`${list}?limit=1`);
  const [record] = Array.isArray(records) ? records : [];
  if (template.endsWith("/{column}/{value}.json")) return record && filterPath(document, template, record);
  const href = record?.["__href"];
  return typeof href === "string" ? href.replace(/\.json$/, "") + template.slice(end + 1) : undefined;
}

/** A filter that the record passes, by the last column that the document names. */
function filterPath(
  document: OpenApi,
  template: string,
  record: Readonly<Record<string, unknown>>,
): string | undefined {
  const parameter = document.paths[template]?.parameters?.find(({ name }) => name === "column");
  const names = (parameter?.schema as { readonly enum: readonly string[] }).enum;
  const name = names.findLast((each) => record[each] !== null);
  const segment = (text: string) =>
    encodeURIComponent(text).replace(/[*._~]/g, (character) => {
      return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    });
  return name === undefined
    ? undefined
    : template.replace("{column}", segment(name)).replace("{value}", segment(String(record[name])));
}
