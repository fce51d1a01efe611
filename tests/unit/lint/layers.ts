/**
 * `deno lint` rules about the design: permitted imports, the owners of npm packages, a doc sentence on every
 * exported declaration, and the length of lines in comments.
 *
 * @module
 */

import { LINE_WIDTH, longComments } from "./comments.ts";
import { exportVisitor } from "./exports.ts";
import { type ImportSite, importVisitor } from "./imports.ts";
import { type Layer, layerOf } from "./layer_table.ts";
import { isWithin, PACKAGE_OWNERS } from "./package_table.ts";
import { projectPath, resolveTarget, type Target } from "./targets.ts";

interface Complaint {
  readonly message: string;
  readonly hint: string;
}

/** Looks at one import of one file; undefined when it is allowed. */
type Judge = (site: ImportSite, file: string) => Complaint | undefined;

const EXPORT_RULE: Deno.lint.Rule = {
  create(context) {
    const file = projectPath(context.filename);
    if (file === undefined) return {};
    return exportVisitor(context.sourceCode, ({ name, documented, node }) => {
      if (documented) return;
      context.report({
        node,
        message: `${file} exports "${name}" without a doc comment`,
        hint:
          "Say above it, or above its members, what name and type do not tell: unit, shape, when absent, " +
          "who gives it, what it throws. If no other file needs it, do not export it",
      });
    });
  },
};

const COMMENT_RULE: Deno.lint.Rule = {
  create(context) {
    for (const node of longComments(context.sourceCode)) {
      const message = `The comment has a line of more than ${LINE_WIDTH} characters`;
      context.report({ node, message, hint: "Break the line: deno fmt does not" });
    }
    return {};
  },
};

const plugin: Deno.lint.Plugin = {
  name: "rowhouse",
  rules: {
    layers: importRule(judgeLayer),
    packages: importRule(judgePackage),
    exports: EXPORT_RULE,
    comments: COMMENT_RULE,
  },
};

export default plugin;

function importRule(judge: Judge): Deno.lint.Rule {
  return {
    create(context) {
      const file = projectPath(context.filename);
      if (file === undefined) return {};
      return importVisitor((site) => {
        const complaint = judge(site, file);
        if (complaint) context.report({ node: site.node, ...complaint });
      });
    },
  };
}

function judgeLayer(site: ImportSite, file: string): Complaint | undefined {
  const layer = layerOf(file);
  if (!layer) {
    return {
      message: `${file} belongs to no layer, so it cannot import "${site.specifier}"`,
      hint: "Move it into a folder of tests/unit/lint/layer_table.ts, or add its layer there",
    };
  }
  if (isAllowed(layer, resolveTarget(site.specifier, file), { site, file })) return undefined;
  return {
    message: `${file} cannot import "${site.specifier}": ${layer.rule}`,
    hint: "See tests/unit/lint/layer_table.ts",
  };
}

function isAllowed(
  layer: Layer,
  target: Target,
  { site, file }: { readonly site: ImportSite; readonly file: string },
): boolean {
  switch (target.kind) {
    case "file":
      return layer.mayImport.test(target.path) || isOwnFile(layer, target, file);
    case "package":
      if (layer.packageTypesOnly && !site.typesOnly) return false;
      return layer.packages?.includes(target.name) ?? true;
    case "builtin":
      return layer.packages === undefined;
    case "pinned": // judgePackage complains about these
    case "remote":
      return true;
  }
}

/** Imports within a plugin are relative, so that its folder works in any place. */
function isOwnFile(layer: Layer, target: Target & { readonly kind: "file" }, file: string): boolean {
  const folder = layer.files.exec(file)?.groups?.folder;
  return folder !== undefined && target.relative && target.path.startsWith(`${folder}/`);
}

function judgePackage(site: ImportSite, file: string): Complaint | undefined {
  const target = resolveTarget(site.specifier, file);
  if (target.kind === "pinned" && isForTests(target.name, file)) return undefined;
  if (target.kind === "remote" || target.kind === "pinned") {
    return {
      message: `${file} cannot import "${site.specifier}": only npm packages named in deno.json are pinned`,
      hint:
        "Add the package to the imports of deno.json with its exact version and import it by that name; " +
        "one for tests alone is named with its exact version in a file of its own in tests/support/packages/",
    };
  }
  if (target.kind !== "package" || isWithin(file, ["tests", "bench"])) return undefined;
  return judgeOwner(target.name, file);
}

/**
 * Packages of tests, of examples, and those that are bundled for browsers, are not in
 * deno.json: a start does not fetch them.
 */
function isForTests(name: string, file: string): boolean {
  const owners = PACKAGE_OWNERS.get(name) ?? [];
  return isWithin(file, owners) &&
    /^(tests\/support\/packages|formats\/html\/client|examples\/.+)$/.test(owners.join());
}

function judgeOwner(name: string, file: string): Complaint | undefined {
  const owners = PACKAGE_OWNERS.get(name);
  if (!owners) {
    return {
      message: `${file} imports "${name}", which no folder owns`,
      hint: "Add it to tests/unit/lint/package_table.ts with the one folder that may import it",
    };
  }
  if (isWithin(file, owners)) return undefined;
  return {
    message: `${file} cannot import "${name}": it belongs to ${
      owners.map((owner) => `${owner}/`).join(" and ")
    }`,
    hint: "Use what that folder exports instead, see tests/unit/lint/package_table.ts",
  };
}
