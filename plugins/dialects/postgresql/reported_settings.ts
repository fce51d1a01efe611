/**
 * The settings that the server tells of whenever they change, such as whether a session may write.
 *
 * @module
 */

/** Notices settings that are no longer what they were when the session began. */
export class ReportedSettings {
  readonly #first = new Map<string, string>();
  readonly #changed = new Set<string>();

  get haveChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** What is told of a setting for the first time is what it was at the beginning. */
  note(name: string, value: string): void {
    const before = this.#first.get(name);
    if (before === undefined) this.#first.set(name, value);
    else if (before === value) this.#changed.delete(name);
    else this.#changed.add(name);
  }
}
