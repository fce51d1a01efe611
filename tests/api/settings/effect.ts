/**
 * The effect of a setting, as data: its value, and the answer that shows it.
 *
 * @module
 */

import { sendRaw } from "@/tests/support/raw_request.ts";
import type { StartOptions, TestService } from "@/tests/support/service.ts";
import type { SETTING_PATTERNS, SettingKey } from "@/config/settings.ts";

/** A setting's name, the pattern of several, or a setting of a built-in plugin. */
export type TestedKey = SettingKey | (typeof SETTING_PATTERNS)[number]["key"] | PluginKey;

/** The settings of the built-in formats. */
type PluginKey =
  | "csv_sdb.headers_by_default"
  | `json_sdb.${"indent" | "href" | "utc_suffix" | "single_as_array"}`
  | `xml_sdb.${"root_tag" | "xmlns" | "href" | "nil_visible"}`
  | "txt_sdb.nil_visible";

/** One test of one or more settings. */
export interface Effect {
  readonly keys: readonly TestedKey[];
  /** A sentence about the effect of these settings. */
  readonly title: string;
  /** Lines below `[service]`. */
  readonly ini: readonly string[];
  /** Further files, and actions before the start. */
  readonly start?: Pick<StartOptions, "files" | "sqlite" | "isAdministered" | "prepare" | "args">;
  /** The service is a process of its own. */
  readonly isProcess?: true;
  check(service: TestService): Promise<void>;
}

/** The body of an answer with any status. */
export async function textOf(service: TestService, path: string): Promise<string> {
  return await (await service.fetch(path)).text();
}

/** The parsed answer. */
export async function jsonOf(service: TestService, path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await textOf(service, path));
}

/** The status of an answer whose body is left unread. */
export async function statusOf(service: TestService, path: string, init?: RequestInit): Promise<number> {
  const answer = await service.fetch(path, init);
  await answer.body?.cancel();
  return answer.status;
}

/** Tells whether an answer is sent in chunks. Without compression only streams are. */
export async function isStreamed({ port }: TestService, target: string): Promise<boolean> {
  const { headers } = await sendRaw(port, { target });
  return headers.get("transfer-encoding") === "chunked";
}
