/**
 * A browser for tests: Chromium without a window, where it is installed.
 *
 * @module
 */

/** Tells whether Chromium is installed. Without it the tests that need it are ignored. */
export const HAS_CHROMIUM = isInstalled();

/** Opens an address, follows redirects, runs scripts, and returns the final page. */
export async function openPage(url: string): Promise<string> {
  const profile = await Deno.makeTempDir({ prefix: "rowhouse-chromium-" });
  try {
    const { stdout, stderr, success } = await new Deno.Command("chromium", {
      args: [...CHROMIUM_FLAGS, ...DUMP, `--user-data-dir=${profile}`, "--dump-dom", url],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    if (success) return new TextDecoder().decode(stdout);
    throw new Error(`Chromium failed: ${new TextDecoder().decode(stderr)}`);
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
}

/** Without a window, and without background requests. */
const CHROMIUM_FLAGS: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
];

const DUMP = [
  // Time of scripts passes only while nothing is being loaded, so the last page is there however slow the machine is.
  "--virtual-time-budget=20000",
  "--timeout=60000",
];

function isInstalled(): boolean {
  try {
    return new Deno.Command("chromium", { args: ["--version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
