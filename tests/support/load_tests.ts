/**
 * Test files that are loaded together. Each file that Deno runs loads the service for itself, which takes half a second
 * of a processor; the files of a folder that share one need it once.
 *
 * @module
 */

// All of their services run all the time, so no test of theirs is asked whether it has left something behind.
import "@/tests/support/service.ts";

/** Registers the tests of every test file of this folder: `import.meta.resolve("./http/")`. */
export async function loadTests(folder: string): Promise<void> {
  const names = [...Deno.readDirSync(new URL(folder))].map(({ name }) => name);
  for (const name of names.filter((name) => name.endsWith("_test.ts")).toSorted()) {
    await import(folder + name);
  }
}
