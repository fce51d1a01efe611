/**
 * The service without a server, for tests of single stages.
 *
 * @module
 */

import { join } from "node:path";
import { loadConfiguration } from "@/config/mod.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Service } from "@/core/service.ts";
import csv from "@/formats/csv/mod.ts";
import html from "@/formats/html/mod.ts";
import json from "@/formats/json/mod.ts";
import xml from "@/formats/xml/mod.ts";
import type { DialectPlugin } from "@/plugins/contract.ts";
import { startQuietly } from "./quiet_service.ts";

/** What distinguishes services of tests. */
interface ServiceParts {
  /** The configuration files by their names; the others have nothing in them. */
  readonly files: Readonly<Record<string, string>>;
  readonly dialects: readonly DialectPlugin[];
}

/** Starts the service in a directory, which it has for everything. It ends with the stack. */
export async function serviceIn(
  home: string,
  { files, dialects }: ServiceParts,
  stack: AsyncDisposableStack,
): Promise<Service> {
  const texts = { "service.ini": "[service]\n", "regular-initial": "", ...files };
  for (const [name, text] of Object.entries(texts)) Deno.writeTextFileSync(join(home, name), text);
  const directories = { config: home, state: home, log: home };
  const configuration = loadConfiguration(directories, { ROWHOUSE_STATE: home });
  const formats = [json, xml, csv, html];
  const { service } = stack.use(await startQuietly(configuration, [...formats, ...dialects]));
  return service;
}

/** A user as the caller. */
export function callerOf({ users }: Service, login: string): Caller {
  const user = users.get(login);
  if (!user) throw new Error(`There is no user ${login}`);
  return { user, anonymous: login === "public" };
}
