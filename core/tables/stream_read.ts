/**
 * Reads rows as they come, in constant memory.
 *
 * @module
 */

import type { Row } from "@/core/model.ts";
import type { StreamOptions } from "@/plugins/contract.ts";
import type { CompiledRead } from "./compile_read.ts";
import { MAX_WHOLE } from "./expand_relations.ts";
import type { ReadPlan } from "./plan_read.ts";
import {
  held,
  requireSubject,
  type Result,
  runOf,
  type StreamResult,
  tooMany,
  totalOf,
} from "./read_statements.ts";

/** An answer without limit is built in memory up to this number of rows; a longer one is streamed. */
export const MAX_BUFFERED = 5000;

/** Rows per chunk of an answer that need not be streamed. */
export const AHEAD = 500;

/** Expanded and transposed answers need all rows at once. */
export function canStream({ expansions, joined, shape }: CompiledRead): boolean {
  return expansions.length === 0 && !joined && shape.form !== "columns";
}

/** Opens a stream and reads its first rows. Throws 404 as {@link requireSubject} does. */
export async function openStream(plan: ReadPlan, options: StreamOptions): Promise<StreamResult> {
  const { compiled, database } = plan;
  const total = await totalOf(plan, options);
  const page = { limit: plan.limit ?? Number.MAX_SAFE_INTEGER, offset: plan.offset };
  const chunks = database.stream(runOf(compiled.rows, plan, page), options)
    [Symbol.asyncIterator]();
  const { value, done } = await held(plan, chunks.next());
  const first = done ? [] : value;
  if (first.length === 0) await requireSubject(plan, options);
  return { kind: "stream", chunks: leased(plan, chunks), first, total };
}

/** For a statement without page: reads rows as they come, and streams them when they are too many. */
export async function readAhead(plan: ReadPlan, { signal, requestId, turn }: StreamOptions): Promise<Result> {
  const isStreamable = canStream(plan.compiled);
  const most = isStreamable ? MAX_BUFFERED : MAX_WHOLE;
  const opened = await openStream(plan, { signal, requestId, turn, fetchSize: AHEAD });
  const rows = [...opened.first];
  while (rows.length <= most) {
    const { value, done } = await opened.chunks.next();
    if (done) return { kind: "rows", rows, total: opened.total };
    for (const row of value) rows.push(row);
  }
  if (isStreamable) return { ...opened, first: rows };
  await opened.chunks.return?.();
  throw tooMany();
}

/**
 * Keeps the connection open until the stream has ended or was cancelled, even
 * before its first chunk was requested.
 */
function leased(plan: ReadPlan, chunks: AsyncIterator<readonly Row[]>): AsyncIterator<readonly Row[]> {
  const lease = plan.managed.lease(plan.database);
  let isOpen = true;
  const close = () => {
    if (isOpen) lease[Symbol.dispose]();
    isOpen = false;
  };
  return {
    async next() {
      const next = await chunks.next().catch((error: unknown) => {
        close();
        throw error;
      });
      if (next.done) close();
      return next;
    },
    async return() {
      await chunks.return?.();
      close();
      return { done: true, value: undefined };
    },
  };
}
