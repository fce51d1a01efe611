/**
 * The members of the contract, for a comparison of two versions: names with their types, without comments.
 *
 * @module
 */

/** Types by `Type.member`; a type without members by `Type`. */
export function membersOf(declarations: string): ReadonlyMap<string, string> {
  const code = declarations
    .replace(/\/\*\*[^]*?\*\//g, "")
    .replace(/\/\/.*$/gm, "")
    .replace(/^import [^;]*;$/gm, "");
  const members = new Map<string, string>();
  for (const [, word = "", name = "", rest = ""] of code.matchAll(DECLARATION)) {
    const [, heritage = "", body] = /^([^{]*)\{([^]*)\}\s*$/.exec(rest) ?? [];
    if (word !== "interface" || body === undefined) members.set(name, plain(rest));
    else {
      members.set(name, plain(heritage));
      for (const member of parts(body)) {
        const key = `${name}.${/[\w[\].]+/.exec(member.replace(/^readonly /, ""))?.[0]}`;
        // Overloads share a name.
        members.set(key, [members.get(key), member].filter((text) => text !== undefined).join("; "));
      }
    }
  }
  return members;
}

/** A declaration up to the next one. */
const DECLARATION =
  /^(?:export )?(?:declare )?(interface|type|const) (\w+)([^]*?)(?=^(?:export |interface |declare )|$(?![^]))/gm;

/** The members of an interface's body: those of nested types belong to their member. */
function parts(body: string): readonly string[] {
  const found: string[] = [];
  let [depth, from, isText] = [0, 0, false];
  for (let at = 0; at < body.length; at++) {
    const sign = body[at] ?? "";
    if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if ("{([".includes(sign)) depth++;
    else if ("})]".includes(sign)) depth--;
    else if (sign === ";" && depth === 0) {
      found.push(plain(body.slice(from, at)));
      from = at + 1;
    }
  }
  return found;
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/;\s*$/, "").trim();
}

/** Members of which the two versions have different types, or which only one of them has. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { readonly added: readonly string[]; readonly changed: readonly string[] } {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const changed = [...before].filter(([name, text]) => after.get(name) !== text).map(([name]) => name);
  return { added, changed };
}
