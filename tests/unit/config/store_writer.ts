/**
 * Adds keys to a YAML file, one update each; a separate process for the tests of the store.
 *
 * @module
 */

import { updateYamlFile } from "@/config/store.ts";

const [path = "", name = "", count = "0"] = Deno.args;

for (let index = 0; index < Number(count); index++) {
  await updateYamlFile(path, (document) => document.setIn([`${name}${index}`], 1));
  if (index === 2) await Deno.stdout.write(new TextEncoder().encode("writing\n"));
}
