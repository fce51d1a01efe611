/**
 * Whether the service can answer requests, and the reasons why it may not: databases,
 * shared caches, the state directory.
 *
 * @module
 */

import { join } from "node:path";
import { METERS } from "@/core/base/meters.ts";
import { messageIn } from "@/core/errors.ts";
import type { Service } from "@/core/service.ts";
import type { Part } from "@/core/storage/worker_group.ts";

/** The question of {@link WorkerGroup.ask} for the readiness of a worker. */
export const READINESS = "readiness";

interface DatabaseState {
  readonly id: string;
  /** It has to be connected. */
  readonly isWanted: boolean;
  readonly isConnected: boolean;
  readonly reason: string | undefined;
}

interface Readiness {
  /** The service is about to stop. */
  readonly isStopping: boolean;
  readonly databases: readonly DatabaseState[];
  readonly troubles: readonly (readonly [part: string, reason: string])[];
}

/** The readiness of this worker; it is copied between threads. */
export function readiness({ databases, stopping }: Service): Readiness {
  return {
    isStopping: stopping.aborted,
    databases: [...databases.values()].map(({ definition: { id, autoconnect }, status, reason }) => {
      return { id, isWanted: autoconnect, isConnected: status === "Connected", reason };
    }),
    troubles: [...METERS.parts].flatMap(([part, reason]) => reason === undefined ? [] : [[part, reason]]),
  };
}

/** The condition under which the service counts as ready. */
interface Demand {
  /** Whether one of the wanted databases is enough. */
  readonly when: "any" | "all";
  /** The only database that counts. */
  readonly database: string | undefined;
}

/** A database counts as connected if it is so in every worker that answers. */
export function readinessOf(
  parts: readonly Part[],
  { when, database }: Demand,
): { readonly isReady: boolean; readonly reasons: readonly string[] } {
  const present = parts.filter(({ isPresent }) => isPresent).map(({ value }) => value as Readiness);
  const byId = Map.groupBy(present.flatMap(({ databases }) => databases), ({ id }) => id);
  const isUp = ([, states]: [string, DatabaseState[]]) => states.every(({ isConnected }) => isConnected);
  const wanted = [...byId].filter(([id, [state]]) => {
    return database === undefined ? state?.isWanted === true : id === database;
  });
  const isEnough = when === "all" || database !== undefined ? wanted.every(isUp) : wanted.some(isUp);
  const isServing = present.every(({ isStopping }) => !isStopping);
  const isReady = isServing && (wanted.length === 0 ? database === undefined : isEnough);
  const reasons = present.flatMap(({ databases, troubles, isStopping }) => [
    ...(isStopping ? ["the service is about to stop"] : []),
    ...databases.flatMap(reasonOf),
    ...troubles.map(([part, reason]) => `${part}: ${reason}`),
  ]);
  const unknown = wanted.length === 0 && database !== undefined
    ? [`${database}: there is no such database`]
    : [];
  return { isReady, reasons: [...unknown, ...new Set(reasons)] };
}

function reasonOf({ id, isWanted, isConnected, reason }: DatabaseState): readonly string[] {
  if (isConnected) return reason === undefined ? [] : [`${id}: ${reason}`];
  return isWanted || reason !== undefined ? [`${id}: disconnected: ${reason ?? "not asked for"}`] : [];
}

/**
 * Why the state directory takes no file, with the system's words. Sessions and
 * throttles are then in memory only.
 */
export async function stateReasons({ configuration }: Service): Promise<readonly string[]> {
  const path = join(configuration.directories.state, `ready-${crypto.randomUUID()}`);
  try {
    // A full disk still makes empty files.
    await Deno.writeTextFile(path, "ready");
    await Deno.remove(path);
    return [];
  } catch (error) {
    await Deno.remove(path).catch(() => {});
    return [`state directory: ${messageIn(error)}`];
  }
}
