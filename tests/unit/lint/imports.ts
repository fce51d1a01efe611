/**
 * Finds everything in a file that loads another module: static imports,
 * re-exports, `import()` and type imports.
 *
 * @module
 */

/** One place in a file that names another module. */
export interface ImportSite {
  readonly specifier: string;
  /** The compiler erases the import: it loads no file at run time. */
  readonly typesOnly: boolean;
  readonly node: Deno.lint.Node;
}

/** Calls `found` for each module that the linted file names literally. */
export function importVisitor(found: (site: ImportSite) => void): Deno.lint.LintVisitor {
  return {
    ImportDeclaration: (node) =>
      found({ specifier: node.source.value, typesOnly: importsTypesOnly(node), node: node.source }),
    ExportAllDeclaration: (node) =>
      found({ specifier: node.source.value, typesOnly: node.exportKind === "type", node: node.source }),
    ExportNamedDeclaration(node) {
      if (!node.source) return;
      found({ specifier: node.source.value, typesOnly: node.exportKind === "type", node: node.source });
    },
    ImportExpression(node) {
      const specifier = literalText(node.source);
      if (specifier !== undefined) found({ specifier, typesOnly: false, node: node.source });
    },
    TSImportType(node) {
      const specifier = node.argument.type === "TSLiteralType"
        ? literalText(node.argument.literal)
        : undefined;
      if (specifier !== undefined) found({ specifier, typesOnly: true, node: node.argument });
    },
  };
}

function importsTypesOnly(node: Deno.lint.ImportDeclaration): boolean {
  if (node.importKind === "type") return true;
  return node.specifiers.length > 0 &&
    node.specifiers.every((part) => part.type === "ImportSpecifier" && part.importKind === "type");
}

/** The text of a string literal or of a template without expressions. */
function literalText(node: Deno.lint.Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.cooked;
  return undefined;
}
