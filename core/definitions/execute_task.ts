/**
 * Stage 4 for everything that is not data: definitions, connections and the licence.
 *
 * @module
 */

import type { Exchange } from "@/core/exchange.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Task, TaskResult } from "@/core/plan.ts";
import type { BodySource } from "@/core/request/body.ts";
import { printName } from "@/core/request/print_path.ts";
import { createDefinition, deleteDefinition, updateDefinition } from "./change_definition.ts";
import { checkConnection } from "./check_connection.ts";
import { checkQuery } from "./check_query.ts";
import { changeConnection } from "./connections.ts";
import { takeLicence } from "./licence_document.ts";
import { readMembersOf } from "./read_body.ts";

/** Throws the error of the answer. */
export async function executeTask(
  task: Task,
  { user: actor, session }: Caller,
  source: BodySource,
  exchange: Exchange,
): Promise<TaskResult> {
  const { client: { address }, requestId } = exchange;
  const service = { ...exchange.service, log: exchange.log };
  switch (task.does) {
    case "create": {
      const { kind, format } = task;
      const { id, ...told } = await createDefinition({ kind, actor, service, session }, { source, format });
      exchange.created = `/${kind}/${id}`;
      const path = `${service.prefix}/${kind}/${printName(id, service.links)}.json`;
      return { kind: "created", path, ...told };
    }
    case "update": {
      const { kind, id, format } = task;
      const input = { kind, actor, service, session };
      const { actions = [], ...told } = await updateDefinition(input, id, { source, format });
      const event = {
        outcome: "success",
        user: actor.login,
        target: `${kind}/${id}`,
        address,
        requestId,
      } as const;
      for (const action of actions) service.audit.record({ action, ...event });
      return { kind: "done", ...told };
    }
    case "delete":
      await deleteDefinition({ kind: task.kind, actor, service, session }, task.id);
      return { kind: "done" };
    case "check": {
      const { kind, format } = task;
      const limit = service.settings.max_body_size;
      const sent = await readMembersOf(kind, source, { format, limit, isCheck: true });
      const document = kind === "dbdef"
        ? await checkConnection(sent, actor, service)
        : await checkQuery(sent, actor, exchange);
      return { kind: "document", document };
    }
    case "licence":
      return { kind: "document", document: await takeLicence(source, task.isTrial, service) };
    case "connect":
    case "disconnect":
      return { kind: "document", document: await changeConnection(task.does, actor, task.managed, service) };
    default:
      return task satisfies never;
  }
}
