/**
 * Orders to all processes that share a directory: connect a database, or disconnect it. They are stored in a file; a
 * process follows those given after its start.
 *
 * @module
 */

import { randomUUID } from "node:crypto";
import { readText } from "./entries.ts";
import { updateYamlFile } from "./store.ts";
import { parseYaml } from "./yaml.ts";

/** The latest order for each name. */
type Given = ReadonlyMap<string, { readonly order: string; readonly id: string }>;

/** One process's view of the file at `path`. A missing or invalid file has no orders. */
export class Orders {
  readonly path: string;
  #seen: Given;

  constructor(path: string) {
    this.path = path;
    this.#seen = read(path);
  }

  /** Sends an order to the other processes; this one has followed it already. */
  async give(name: string, order: string): Promise<void> {
    const id = randomUUID();
    this.#seen = new Map([...this.#seen, [name, { order, id }]]);
    await updateYamlFile(this.path, (document) => document.setIn([name], { order, id }));
  }

  /** Orders of other processes since the last call, by name. */
  take(): ReadonlyMap<string, string> {
    const before = this.#seen;
    const now = read(this.path);
    this.#seen = now;
    const fresh = [...now].filter(([name, { id }]) => before.get(name)?.id !== id);
    return new Map(fresh.map(([name, { order }]) => [name, order]));
  }
}

/** Invalid content counts as no orders. */
function read(path: string): Given {
  const { value } = parseYaml(readText({ file: path, key: "", complaints: [] }) ?? "");
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, given]) => {
      if (typeof given !== "object" || given === null) return [];
      const { order, id } = given as Readonly<Record<string, unknown>>;
      return typeof order === "string" && typeof id === "string" ? [[name, { order, id }]] : [];
    }),
  );
}
