/**
 * Configuration directories for tests.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type Complaint,
  type Configuration,
  ConfigurationError,
  type Environment,
  loadConfiguration,
} from "@/config/mod.ts";

/** Old enough to count as completely written. */
export const LONG_AGO = new Date("2020-01-01T00:00:00Z");

/** A directory with files that is removed again. */
export class TestDirectory implements Disposable {
  readonly path: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.path = Deno.realPathSync(Deno.makeTempDirSync());
    // During the first run, users.cfg needs no admin.
    const initial = "users.cfg" in files ? { "regular-initial": "" } : {};
    for (const [name, content] of Object.entries({ ...initial, ...files })) {
      Deno.writeTextFileSync(join(this.path, name), content);
      Deno.utimeSync(join(this.path, name), LONG_AGO, LONG_AGO);
    }
  }

  file(name: string): string {
    return join(this.path, name);
  }

  read(name: string): string {
    return Deno.readTextFileSync(this.file(name));
  }

  load(environment: Environment = {}): Configuration {
    const { path } = this;
    return loadConfiguration({ config: path, state: "/var/state", log: "/var/log" }, environment);
  }

  /** The complaints about the files, with file names instead of paths. */
  complaints(environment: Environment = {}): Complaint[] {
    try {
      this.load(environment);
    } catch (error) {
      assert.ok(error instanceof ConfigurationError, String(error));
      return error.complaints.map((complaint) => ({
        ...complaint,
        file: complaint.file.slice(this.path.length + 1),
      }));
    }
    return [];
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** The configuration that files give. */
export function load(files: Readonly<Record<string, string>>, environment: Environment = {}): Configuration {
  using directory = new TestDirectory(files);
  return directory.load(environment);
}

/** The settings that lines below `[service]` give. */
export function settingsOf(lines: string, environment: Environment = {}): Configuration["settings"] {
  return load({ "service.ini": `[service]\n${lines}\n` }, environment).settings;
}

/** The complaints about files as `file: key: message`. */
export function complaintsAbout(
  files: Readonly<Record<string, string>>,
  environment: Environment = {},
): string[] {
  using directory = new TestDirectory(files);
  return directory.complaints(environment).map(({ file, key, message }) =>
    [file, key, message].filter((part) => part !== "").join(": ")
  );
}
