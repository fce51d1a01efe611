/**
 * The plans that every resource may return; `resources.ts` has the union with
 * those of the resources. Types only.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { ServiceError } from "@/core/errors.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { NamedFormat } from "@/core/request/formats.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import type { Crumb, DocumentShape, PageView, SchemaOptions, Shape } from "@/plugins/contract.ts";
import type { Document } from "./model.ts";
import type { ConnectionOrder, Service } from "./service.ts";

/** The result of a task, which decides the status of the answer. */
export type TaskResult =
  /** 204. */
  | { readonly kind: "done"; readonly warning?: string }
  /** 201 with the absolute URL of this path. */
  | { readonly kind: "created"; readonly path: string; readonly warning?: string }
  /** 200. */
  | { readonly kind: "document"; readonly document: Document };

/** A task with its settled names and rights; its body has not been read. */
export type Task =
  | { readonly does: "create"; readonly kind: DefinitionKind; readonly format: BodyFormat }
  | {
    readonly does: "update";
    readonly kind: DefinitionKind;
    readonly id: string;
    readonly format: BodyFormat;
  }
  | { readonly does: "delete"; readonly kind: DefinitionKind; readonly id: string }
  /** Tests a definition without storing it. */
  | { readonly does: "check"; readonly kind: "dbdef" | "querydef"; readonly format: BodyFormat }
  | { readonly does: "licence"; readonly isTrial: boolean }
  | { readonly does: ConnectionOrder; readonly managed: ManagedDatabase };

/** A plan to change or show something other than data. */
export interface TaskPlan {
  readonly kind: "task";
  readonly task: Task;
}

/** The answer redirects to another URL. */
export interface Redirect {
  readonly kind: "redirect";
  readonly location: string;
  readonly status: 302 | 303;
}

/** The answer is a schema; nothing is read from the database. */
export interface SchemaPlan {
  readonly kind: "schema";
  /** The format whose schema it is: the request's own, the one that it shows the schemas of, or JSON. */
  readonly format: NamedFormat;
  /** The function of the format that writes it, and its subject. */
  readonly described:
    | { readonly by: "schema"; readonly shape: Shape }
    | { readonly by: "documentSchema"; readonly shape: DocumentShape };
  readonly options: SchemaOptions;
}

/** The answer is a page for people. */
export interface ViewPlan {
  readonly kind: "view";
  readonly view: PageView;
  /** The breadcrumbs of the page. Absent: those of its path. */
  readonly crumbs?: readonly Crumb[];
  /** The mistake that the page shows. Absent: the answer is 200. */
  readonly refusal?: ServiceError;
}

/** The running and the last requests of all workers. */
export interface RequestsPlan {
  readonly kind: "requests";
  readonly as: "document" | "view";
}

/** Plans that are their own outcome. */
export type AnswerPlan =
  | Redirect
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "text"; readonly text: string }
  /** The bytes are kept for several answers. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array<ArrayBuffer>; readonly contentType: string }
  /** The methods that are allowed. */
  | { readonly kind: "options"; readonly allow: string }
  | SchemaPlan
  | ViewPlan;

/** Plans that need no database of the caller. */
export type SimplePlan = AnswerPlan | TaskPlan;

/** The input of planning beside the request and its caller. */
export interface PlanInput {
  readonly service: Service;
  /** The request's headers: the format of a body, and conditions. */
  readonly headers: Headers;
  /** Set if a form is shown again. */
  readonly typed?: FormState | undefined;
  /** A page has the tables of its path alone: the database refuses others to the caller's login. */
  readonly isNarrow?: boolean;
}
