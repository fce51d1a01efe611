/**
 * Orders to all processes that share a directory: connect a database, or disconnect it. They are stored in a
 * file; a process follows those given after its start.
 *
 * @module
 */

import { randomUUID } from "node:crypto";
import { isBlock } from "@/plugins/kit/members.ts";
import { readText } from "./entries.ts";
import { updateYamlFile } from "./store.ts";
import { parseYaml } from "./yaml.ts";

/** The latest order for each name, with a random id behind it. */
type Given = ReadonlyMap<string, string>;

/** One process's view of the file at `path`. A missing or invalid file has no orders. */
export class Orders {
  #seen: Given;

  constructor(readonly path: string) {
    this.#seen = read(path);
  }

  /** Sends an order to the other processes; this one has followed it already. */
  async give(name: string, order: string): Promise<void> {
    const given = `${order} ${randomUUID()}`;
    this.#seen = new Map([...this.#seen, [name, given]]);
    await updateYamlFile(this.path, (document) => document.setIn([name], given));
  }

  /** Orders of other processes since the last call, by name. */
  take(): ReadonlyMap<string, string> {
    const before = this.#seen;
    this.#seen = read(this.path);
    const fresh = [...this.#seen].filter(([name, given]) => before.get(name) !== given);
    return new Map(fresh.map(([name, given]) => [name, given.split(" ", 1).join()]));
  }
}

function read(path: string): Given {
  const { value } = parseYaml(readText({ file: path, key: "", complaints: [] }) ?? "");
  const given = isBlock(value) ? Object.entries(value) : [];
  return new Map(given.flatMap(([name, order]) => typeof order === "string" ? [[name, order]] : []));
}
