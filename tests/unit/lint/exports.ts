/**
 * Finds every declaration that a file exports, with the sentence above it. Default exports that are plain
 * values are left out: they are plugins, and the `@module` sentence of their file describes them.
 *
 * @module
 */

/** One exported declaration. */
export interface ExportSite {
  /** The name as written: `f`, or `{ a, b }` for a pattern; "default" for an export without a name. */
  readonly name: string;
  readonly documented: boolean;
  readonly node: Deno.lint.Node;
}

type Exporting = Deno.lint.ExportNamedDeclaration | Deno.lint.ExportDefaultDeclaration;

/** Declarations that can be exported by default; anything else there is a value. */
const DECLARATIONS: readonly string[] = [
  "ClassDeclaration",
  "FunctionDeclaration",
  "TSDeclareFunction",
  "TSInterfaceDeclaration",
];

/** Calls `found` for each exported function, class, interface, type and constant of the linted file. */
export function exportVisitor(
  source: Deno.lint.SourceCode,
  found: (site: ExportSite) => void,
): Deno.lint.LintVisitor {
  const visit = (node: Exporting) => {
    const { declaration } = node;
    if (!declaration || isFurtherOverload(node)) return;
    found({ name: nameOf(declaration, source), documented: hasSentence(node, source), node });
  };
  return {
    ExportNamedDeclaration: visit,
    ExportDefaultDeclaration(node) {
      if (DECLARATIONS.includes(node.declaration.type)) visit(node);
    },
  };
}

/**
 * Only a comment directly above counts: `getCommentsBefore` of Deno 2.9 returns every
 * comment from the top of the file.
 */
function hasSentence(node: Exporting, source: Deno.lint.SourceCode): boolean {
  let below = node.range[0];
  for (const comment of source.getCommentsBefore(node).toReversed()) {
    if (source.text.slice(comment.range[1], below).trim() !== "") return false;
    if (isSentence(comment)) return true;
    below = comment.range[0];
  }
  return false;
}

/** A comment about the file does not document its first declaration. */
function isSentence({ type, value }: Deno.lint.LineComment | Deno.lint.BlockComment): boolean {
  return type === "Block" && value.startsWith("*") && /[^\s*]/.test(value) &&
    !/^\s*\*\s*@module\b/m.test(value);
}

/** The first signature of an overloaded function speaks for all. */
function isFurtherOverload(node: Exporting): boolean {
  const { parent } = node;
  if (parent.type !== "Program" && parent.type !== "TSModuleBlock") return false;
  const siblings: readonly Deno.lint.Node[] = parent.body;
  const before = siblings[siblings.indexOf(node) - 1];
  if (before?.type !== "ExportNamedDeclaration" && before?.type !== "ExportDefaultDeclaration") return false;
  if (before.declaration?.type !== "TSDeclareFunction") return false;
  return idOf(before.declaration) === idOf(node.declaration);
}

function nameOf(declaration: Deno.lint.Node, source: Deno.lint.SourceCode): string {
  if (declaration.type !== "VariableDeclaration") return idOf(declaration) ?? "default";
  return declaration.declarations.map(({ id }) => id.type === "Identifier" ? id.name : source.getText(id))
    .join(", ");
}

function idOf(declaration: Deno.lint.Node | null): string | undefined {
  const id = declaration && "id" in declaration ? declaration.id : undefined;
  return id?.type === "Identifier" ? id.name : undefined;
}
