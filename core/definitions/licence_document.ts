/**
 * `/license`: the licence as a document, and its replacement by another one.
 *
 * @module
 */

import { FileFailure } from "@/config/mod.ts";
import { type Described, describeMembers } from "@/core/documents/documents.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import {
  type Licence,
  lockOf,
  LONGEST_LICENCE,
  readLicence,
  storeLicence,
  usageOf,
} from "@/core/identity/licence.ts";
import type { Document, Json, JsonObject } from "@/core/model.ts";
import { type BodySource, readText } from "@/core/request/body.ts";
import { contentTypeOf } from "@/core/request/body_format.ts";
import { readFields, readForm } from "@/core/request/form_fields.ts";
import type { Service } from "@/core/service.ts";

const TEXT_TYPES: readonly string[] = ["text/plain", "application/jwt"];

/**
 * Replaces the licence, unless it is only looked at. Throws 400 for a licence that would lock the service.
 */
export async function takeLicence(source: BodySource, isTrial: boolean, service: Service): Promise<Document> {
  const token = await readToken(source);
  const licence = readLicence(token, service.settings["license.public_key"]);
  const lock = lockOf({ licence, configuration: service.configuration });
  if (lock !== undefined) throw badRequest(`Cannot use this licence: ${lock}`);
  if (isTrial) return licenceDocument(licence, service).document;
  await storeLicence(token, service.settings).catch((error: unknown) => {
    if (!(error instanceof FileFailure)) throw error;
    service.log.warn(`Cannot store the licence: ${error.message}`);
    const sentence = "Cannot store the licence: its file cannot be written, and the log tells why";
    throw new ServiceError("conflict", sentence, { cause: error });
  });
  await service.files.refresh();
  return licenceDocument(licence, service).document;
}

/** The token as plain text, or as `license` in a form, also as a file, or in a JSON object. */
async function readToken(source: BodySource): Promise<string> {
  const { type } = contentTypeOf(source.headers);
  const isText = type === "" || TEXT_TYPES.includes(type);
  const text = isText
    ? await readText(source, { limit: LONGEST_LICENCE, label: "licence", charset: "utf-8" })
    : type === "multipart/form-data"
    ? (await readForm(source, LONGEST_LICENCE)).get("license")?.at(-1)
    : (await readFields(source, LONGEST_LICENCE)).get("license");
  if (text !== undefined && text.trim() !== "") return text;
  throw badRequest('Cannot read a licence: send it as text/plain, or as "license" in a form or JSON');
}

/** The content of a licence, and its limits. */
export function licenceDocument(
  licence: Licence,
  { configuration }: Pick<Service, "configuration">,
): Described {
  const usage = usageOf(configuration);
  const claims = licence && "claims" in licence ? licence.claims : undefined;
  const lock = lockOf({ licence, configuration });
  const tree: Readonly<Record<string, Json>> = {
    state: licence === undefined ? "open" : lock === undefined ? "valid" : "invalid",
    reason: lock ?? null,
    licensee: claims?.licensee ?? null,
    edition: claims?.edition ?? (licence === undefined ? "open" : null),
    expires: claims ? new Date(claims.exp * 1000).toISOString().slice(0, 19) : null,
    max_users: claims?.maxUsers ?? null,
    max_databases: claims?.maxDatabases ?? null,
    features: claims?.features ?? null,
    users: usage.users,
    databases: usage.databases,
  };
  return describeMembers("license", LICENCE, tree);
}

/** The schema of `/license`. */
export const LICENCE: JsonObject = {
  title: "license",
  type: "object",
  required: ["state", "reason", "licensee", "edition", "expires", "max_users", "max_databases", "features"],
  properties: {
    state: { type: "string", enum: ["open", "valid", "invalid"] },
    reason: { type: ["string", "null"], description: "Why everybody but admin is locked out." },
    licensee: { type: ["string", "null"] },
    edition: { type: ["string", "null"] },
    expires: { type: ["string", "null"], description: "UTC." },
    max_users: { type: ["integer", "null"], description: "Enabled users beside public; null: any number." },
    max_databases: { type: ["integer", "null"] },
    features: {
      type: ["array", "null"],
      items: { type: "string" },
      description: "Methods of login; those of the licence at the start count.",
    },
    users: { type: "integer", description: "Enabled users that there are, beside public." },
    databases: { type: "integer" },
  },
};
