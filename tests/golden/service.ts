/**
 * The service that the golden files were recorded with.
 *
 * @module
 */

import { join } from "node:path";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { ROOT, startService, type TestService } from "@/tests/service.ts";

export const FOLDER = join(ROOT, "tests", "golden");

/** Starts the service with the configuration of `tests/golden/config`. */
export async function startGoldenService(): Promise<TestService> {
  const names = ["service.ini", "databases.cfg", "users.cfg"];
  const files = names.map((name) => {
    return [`config/${name}`, Deno.readTextFileSync(join(FOLDER, "config", name))] as const;
  });
  return await startService({ files: Object.fromEntries(files), prepare: createTypes });
}

/** The fixture database with every awkward name and value. */
export function createTypes(home: string): void {
  const statements = Deno.readTextFileSync(join(FOLDER, "types.sql")).split(/;$/m);
  const filled = statements.map((sql) => sql.trim()).filter((sql) => sql !== "");
  createDatabase(join(home, "state", "types.db"), filled.map((sql) => ({ sql })));
}

/** All golden files as `topic/name`, in order. */
export function listGoldens(): readonly string[] {
  const topics = [...Deno.readDirSync(FOLDER)].filter(({ isDirectory, name }) =>
    isDirectory && name !== "config"
  );
  return topics.flatMap(({ name: topic }) =>
    [...Deno.readDirSync(join(FOLDER, topic))].map(({ name }) => `${topic}/${name.replace(/\.txt$/, "")}`)
  ).toSorted();
}

export function readGolden(name: string): string {
  return Deno.readTextFileSync(join(FOLDER, `${name}.txt`));
}
