/**
 * Compiles queries to T-SQL.
 *
 * @module
 */

import { type FromNode, MssqlQueryCompiler, type SelectModifierNode, type SelectQueryNode } from "kysely";

/** Kysely's compiler with `FOR UPDATE` as T-SQL's hint after the table. */
export class Compiler extends MssqlQueryCompiler {
  readonly #locking: boolean[] = [];

  protected override visitSelectQuery(node: SelectQueryNode): void {
    const others = node.endModifiers?.filter((modifier) => !isForUpdate(modifier)) ?? [];
    this.#locking.push(others.length < (node.endModifiers?.length ?? 0));
    super.visitSelectQuery(others.length > 0 ? { ...node, endModifiers: others } : withoutModifiers(node));
    this.#locking.pop();
  }

  protected override visitFrom(node: FromNode): void {
    super.visitFrom(node);
    if (this.#locking.at(-1)) this.append(" with (updlock)");
  }
}

function isForUpdate({ modifier }: SelectModifierNode): boolean {
  return modifier === "ForUpdate";
}

function withoutModifiers(node: SelectQueryNode): SelectQueryNode {
  const { endModifiers: _, ...rest } = node;
  return rest;
}
