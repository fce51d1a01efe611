/**
 * Definitions of databases and hosts of dialects, as plain as they may be.
 *
 * @module
 */

import type { DatabaseDefinition, DialectHost, PoolSettings } from "@/plugins/contract.ts";
import { dialectKit } from "@/plugins/kit/dialect_kit.ts";
import { lendDialect } from "@/plugins/lend.ts";

/** Small enough to be used up by a test; times are seconds. */
export const POOL: PoolSettings = { max: 2, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** A definition with the members that a test needs. */
export function plainDefinition(changes: Partial<DatabaseDefinition> = {}): DatabaseDefinition {
  return {
    id: "Test",
    dbType: "sqlite",
    description: "",
    dbName: "test.db",
    dbSchema: [],
    prepare: true,
    autoconnect: true,
    autoloadUser: { dbuser: "", dbpass: "" },
    alternateKey: new Map(),
    foreignKeys: new Map(),
    labels: new Map(),
    excludedColumns: new Map(),
    excludedTables: [],
    replicas: [],
    options: {},
    pool: POOL,
    creator: "admin",
    read: [],
    write: [],
    execute: [],
    ...changes,
  };
}

/** A host whose log goes into `messages`. */
export function hostOf(messages: string[] = [], changes: Partial<DialectHost> = {}): DialectHost {
  const note = (message: string) => void messages.push(message);
  const log = { info: note, warn: note, error: note };
  const host: DialectHost = {
    kit: dialectKit(log),
    lend: (name, parts) => lendDialect(name, parts, host),
    directory: "/",
    echo: false,
    ignoreDefaultFields: false,
    workers: 1,
    log,
    ...changes,
  };
  return host;
}
