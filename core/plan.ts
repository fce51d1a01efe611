/**
 * Work that is no table data: changes of the configuration, connecting databases, trying definitions out.
 *
 * @module
 */

import type { BodySource } from "@/core/request/body.ts";
import type { Client } from "@/core/identity/client_address.ts";
import type { Document } from "./model.ts";

/** What a task gets of the request beside what it was planned from. */
export interface TaskInput {
  readonly source: BodySource;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** What came of a task, with the status that it is answered with. */
export type TaskResult =
  /** 204. */
  | { readonly kind: "done"; readonly warning?: string }
  /** 201 with the absolute URL of this path. */
  | { readonly kind: "created"; readonly path: string; readonly warning?: string }
  /** 200. */
  | { readonly kind: "document"; readonly document: Document };

/** A plan to do something; it throws what answers with an error. */
export interface TaskPlan {
  readonly kind: "task";
  /** It changes something, whatever its method: pages of other sites must not make a browser send it. */
  readonly effect: boolean;
  run(input: TaskInput): Promise<TaskResult>;
}
