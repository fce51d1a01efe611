import assert from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url);

const REQUIRED = [
  "README.md",
  "auth",
  "config",
  "core",
  "deno.json",
  "deno.lock",
  "formats",
  "main.ts",
  "plugins",
  "tests",
];
const OPTIONAL = ["CHANGELOG.md", "LICENSE", "bench", "docs", "examples"];

Deno.test("the top level has exactly the names of the design", () => {
  const names = topLevelNames();
  const missing = REQUIRED.filter((name) => !names.has(name));
  const unexpected = [...names].filter((name) =>
    !name.startsWith(".") && !REQUIRED.includes(name) && !OPTIONAL.includes(name)
  );
  assert.deepEqual({ missing, unexpected }, { missing: [], unexpected: [] });
});

/** The files that git tracks; without git, as in an unpacked archive, those that exist. */
function topLevelNames(): Set<string> {
  const tracked = gitFiles();
  const paths = tracked.length > 0 ? tracked : [...Deno.readDirSync(ROOT)].map((entry) => entry.name);
  return new Set(paths.map((path) => path.replace(/\/.*/s, "")));
}

function gitFiles(): string[] {
  try {
    const git = new Deno.Command("git", { args: ["ls-files", "-z"], cwd: ROOT, stderr: "null" });
    const { success, stdout } = git.outputSync();
    return success ? new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "") : [];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
