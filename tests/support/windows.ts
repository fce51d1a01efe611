/**
 * @module A preload under which Deno refuses what it refuses on Windows, by its source: to open a directory,
 * to flush a file that is not open for writing, and to change an owner. Paths keep their slashes.
 */

import process from "node:process";

const refused = () => new Deno.errors.PermissionDenied("Access is denied. (os error 5)");
const flushed = new WeakSet<Deno.FsFile>();
const { open, build } = Deno;
const { sync } = Deno.FsFile.prototype;

// Native packages are those of this machine.
Object.defineProperty(process, "platform", { value: process.platform });
Object.defineProperty(Deno, "build", { value: { ...build, os: "windows" } });

Deno.open = async (path, options) => {
  const file = await open(path, options);
  if (options?.write || options?.append) flushed.add(file);
  if (!(await file.stat()).isDirectory) return file;
  file.close();
  throw refused();
};

Deno.FsFile.prototype.sync = async function () {
  if (!flushed.has(this)) throw refused();
  await sync.call(this);
};

Deno.chown = () => Promise.reject(new Deno.errors.NotSupported("not supported"));
