/**
 * Orders to all processes that share a directory: connect a database, or disconnect it. They are stored in a
 * file; a process follows those given after its start.
 *
 * @module
 */

import { isBlock } from "@/plugins/kit/members.ts";
import { readText } from "./entries.ts";
import { updateYamlFile } from "./store.ts";
import { parseYaml } from "./yaml.ts";

/** The latest order for each name, with its time behind it. */
type Given = ReadonlyMap<string, string>;

/** One worker's view of the file at `path`. A missing or invalid file has no orders. */
export class Orders {
  #seen: Given;

  /**
   * `began`: when the process was started, in milliseconds since 1970. A thread that takes the place of
   * another is younger, and has to follow the orders that the other one had followed.
   */
  constructor(readonly path: string, began: number) {
    const isOld = (given: string) => !(Date.parse(given.split(" ")[1] ?? "") >= began);
    this.#seen = new Map([...read(path)].filter(([, given]) => isOld(given)));
  }

  /** Sends an order to the other processes; this one has followed it already. */
  async give(name: string, order: string): Promise<void> {
    const given = `${order} ${new Date().toISOString()}`;
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
