import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "@/tests/support/root.ts";

interface Link {
  readonly page: string;
  readonly target: string;
}

const PAGES = ["README.md", "CHANGELOG.md", ...pagesBelow("docs"), ...pagesBelow("examples")];
const ALL_LINKS = PAGES.flatMap(linksOf);

Deno.test("every relative link in the documents leads to a file or folder", () => {
  assert.ok(ALL_LINKS.length > 50, `only ${ALL_LINKS.length} links were found`);
  assert.deepEqual(ALL_LINKS.filter((link) => !existsSync(join(ROOT, fileOf(link)))), []);
});

Deno.test("every anchor in a link is a heading of the page", () => {
  const anchored = ALL_LINKS.filter(({ target }) => target.includes("#"));
  assert.ok(anchored.length > 10, `only ${anchored.length} anchors were found`);
  assert.deepEqual(
    anchored.filter((link) => !anchorsOf(fileOf(link)).has(link.target.replace(/.*#/, ""))),
    [],
  );
});

Deno.test("README.md leads to every page, directly or by other pages", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    if (!PAGES.includes(page)) continue;
    for (const link of linksOf(page)) reached.add(fileOf(link));
  }
  assert.deepEqual(PAGES.filter((page) => !reached.has(page)), []);
});

Deno.test("every source file that a document names is there", () => {
  const named = PAGES.filter((page) => page !== "CHANGELOG.md").flatMap((page) =>
    [
      ...withoutCodeBlocks(read(page)).matchAll(
        // Names of files without their first folder are below core/.
        /`((?:core|config|formats|auth|plugins|tests|bench)\/[\w./-]+|[a-z]+\/[a-z_]+\.ts)`/g,
      ),
    ]
      .map(([, target]) => ({ page, target: target ?? "" }))
  );
  assert.ok(named.length > 10, `only ${named.length} names were found`);
  const isThere = ({ page, target }: Link) =>
    [ROOT, join(ROOT, "core"), join(ROOT, "examples"), join(ROOT, dirname(page))].some((folder) =>
      existsSync(join(folder, target))
    );
  assert.deepEqual(named.filter((name) => !isThere(name)), []);
});

Deno.test("README.md has at most 160 lines", () => {
  assert.ok(read("README.md").trimEnd().split("\n").length <= 160);
});

function pagesBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return pagesBelow(path);
    return name.endsWith(".md") ? [path] : [];
  }).sort();
}

/** Links of a page that stay in the repository; text in code is no link. */
function linksOf(page: string): readonly Link[] {
  const text = withoutCodeBlocks(read(page)).replace(/`[^`\n]*`/g, "code");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ page, target: target ?? "" })).filter((
    { target },
  ) => !/^[a-z]+:/.test(target));
}

/** From the root of the repository, without the anchor. */
function fileOf({ page, target }: Link): string {
  const path = target.replace(/#.*/, "");
  return path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
}

/** Anchors of headings, made as repository hosts make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutCodeBlocks(read(page)).matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    ),
  );
}

function withoutCodeBlocks(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, "");
}

function read(page: string): string {
  return Deno.readTextFileSync(join(ROOT, page));
}
