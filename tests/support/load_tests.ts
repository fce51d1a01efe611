/**
 * Test files that are loaded together. Each file that Deno runs loads for itself what it imports; the whole
 * service takes half a second of a processor. The files of a folder that share most of it need it once.
 *
 * @module
 */

/**
 * Registers the tests of every test file of this folder, and of those in it:
 * `import.meta.resolve("./core/")`.
 */
export async function loadTests(folder: string): Promise<void> {
  for (const { name, isDirectory } of [...Deno.readDirSync(new URL(folder))].toSorted(byName)) {
    if (isDirectory) await loadTests(`${folder}${name}/`);
    else if (name.endsWith("_test.ts")) await import(folder + name);
  }
}

/**
 * Like {@link loadTests}, for files that start no service: each of their tests is asked whether it has left
 * something behind. Throws if a file turns that off for all of them.
 */
export async function loadUnitTests(folder: string): Promise<void> {
  const { sanitizer } = Deno.test;
  Deno.test.sanitizer = () => {
    throw new Error(`${folder}: a file that starts a service belongs to tests/api/`);
  };
  try {
    await loadTests(folder);
  } finally {
    Deno.test.sanitizer = sanitizer;
  }
}

function byName(one: Deno.DirEntry, other: Deno.DirEntry): number {
  return one.name < other.name ? -1 : 1;
}
