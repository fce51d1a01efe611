/**
 * Stage 5 for tasks: what came of one to a response.
 *
 * @module
 */

import { warningText } from "./respond_problem.ts";
import { respondDocument, type RespondInput } from "./respond_rows.ts";
import type { TaskResult } from "@/core/plan.ts";
import type { Page, WriteOptions } from "@/plugins/contract.ts";

/** What the answer depends on beside the task's result. */
export interface RespondTaskInput extends RespondInput {
  /** Scheme and host for absolute URLs. */
  readonly origin: string;
  readonly options: WriteOptions;
  readonly page: Page;
}

/** 201 has the URL in the header `Location` and in the body. A task that has a warning tells it in `Warning`. */
export function respondTask(result: TaskResult, input: RespondTaskInput): Response {
  switch (result.kind) {
    case "done":
      return new Response(null, { status: 204, headers: warningHeader(result.warning) });
    case "created": {
      const { encoder } = input.service;
      const url = `${input.origin}${result.path}`;
      const headers = {
        "Content-Type": `text/html; charset=${encoder.charset}`,
        Location: url,
        ...warningHeader(result.warning),
      };
      return new Response(encoder.encode(url, undefined), { status: 201, headers });
    }
    case "document":
      return respondDocument(result.document, input.options, input);
    default:
      return result satisfies never;
  }
}

function warningHeader(warning: string | undefined): Readonly<Record<string, string>> {
  return warning === undefined ? {} : { Warning: warningText(warning) };
}
