/**
 * Checkouts of other revisions of the service.
 *
 * @module
 */

const ROOT = new URL("../", import.meta.url);

/** One in a temporary folder, with its packages; removed when the scope ends. */
export class Checkout implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Throws if the history does not have the revision. */
  static async of(revision: string): Promise<Checkout> {
    const folder = await Deno.makeTempDir({ prefix: "rowhouse-bench-" });
    await using checkout = new AsyncDisposableStack();
    const made = checkout.use(new Checkout(folder));
    await run("git", ["worktree", "add", "--quiet", "--detach", folder, revision], ROOT);
    await run(Deno.execPath(), ["install", "--quiet", "--frozen"], folder);
    checkout.move();
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
    await run("git", ["worktree", "prune"], ROOT);
  }
}

/** The revision that is checked out here. */
export async function headRevision(): Promise<string> {
  return (await run("git", ["rev-parse", "HEAD"], ROOT)).trim();
}

/** What the program prints; throws if it fails. */
async function run(program: string, args: readonly string[], cwd: URL | string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd }).output();
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`${program} ${args.join(" ")} fails: ${new TextDecoder().decode(stderr).trim()}`);
}
