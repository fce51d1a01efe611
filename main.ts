/**
 * The program: runs a command and reports its errors. Composition only; `core/start/` has the commands.
 *
 * @module
 */

import { type Command, parseCommand } from "@/config/command_line.ts";
import { ConfigurationError, type Directories, FileFailure, firstOf, formatComplaint } from "@/config/mod.ts";
import { UsageError } from "@/config/option_values.ts";
import { readDemo } from "@/config/sample.ts";
import { ServiceError } from "@/core/errors.ts";
import { backUp } from "@/core/start/backup.ts";
import { check, init, issueLicence, setPassword, showLicence } from "@/core/start/commands.ts";
import { fail, print } from "@/core/start/console.ts";
import { checkPlugin, listPlugins, newPlugin, packPlugin } from "@/core/start/plugin_commands.ts";
import { restore } from "@/core/start/restore.ts";
import { serve, serveAsWorker } from "@/core/start/serve.ts";
import { openLog } from "@/core/storage/log.ts";
import { PluginError } from "@/plugins/discover.ts";

/** Runs one command and returns the exit code: 0, 1 for mistakes in files or the environment, 2 for usage. */
async function main(args: readonly string[]): Promise<number> {
  let command: Command | undefined;
  try {
    command = parseCommand(args, Deno.env.toObject());
    return await run(command);
  } catch (error) {
    if (error instanceof UsageError) return fail(2, [error.message]);
    const complaints = firstOf(complaintsIn(error));
    if (command?.name === "serve") logComplaints(complaints, command.directories);
    return fail(1, complaints);
  }
}

/**
 * The messages of an error for the operator; an unexpected error has its stack. None is rethrown: a service
 * that has begun to serve survives unhandled errors, so the process would go on.
 */
function complaintsIn(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.complaints.map(formatComplaint);
  if (error instanceof PluginError) return error.complaints;
  if (error instanceof ServiceError) return [error.message];
  if (isRefusedBySystem(error)) return [`The operating system refuses: ${error.message}`];
  if (error instanceof FileFailure) return [error.message];
  return [Deno.inspect(error)];
}

/**
 * Also logs why the service does not start, if a log can be written; standard error has it in any case. The
 * settings of the log may be unknown, so the file is not put aside.
 */
function logComplaints(complaints: readonly string[], { log: directory }: Directories): void {
  try {
    using log = openLog(directory, { maxSize: Infinity, kept: 0 });
    for (const complaint of complaints) log.error(`The service does not start: ${complaint}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/**
 * An error of the file system: a directory that is full, read-only or owned by another
 * user. The message names the path.
 */
function isRefusedBySystem(error: unknown): error is Error {
  return error instanceof Error && /\(os error \d+\)/.test(error.message);
}

async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      print(command.text);
      return 0;
    case "check":
      return await check(command.directories);
    case "init":
      return await init(command.directory);
    case "backup":
      return await backUp(command.directories, command.backup);
    case "restore":
      return await restore(command.directories, command.backup);
    case "set-password":
      return await setPassword(command);
    case "licence issue":
      return await issueLicence(command.wishes);
    case "licence show":
      return await showLicence(command.directories);
    case "plugin new":
      return await newPlugin(command.kind, command.plugin);
    case "plugin check":
      return await checkPlugin(command.path, command.directories);
    case "plugin pack":
      return await packPlugin(command.path);
    case "plugin list":
      return await listPlugins(command.directories);
    case "serve":
      return await serve(command, { module: import.meta.url, createDemo });
  }
}

async function createDemo(file: string): Promise<void> {
  const { createDatabase } = await import("@/plugins/dialects/sqlite/create.ts");
  createDatabase(file, readDemo());
}

if ("WorkerGlobalScope" in globalThis) serveAsWorker();
else if (import.meta.main) Deno.exit(await main(Deno.args));
