/**
 * Reads auth.cfg: the authentication methods and their order. Without the file they are those of the sample.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { AuthPolicy } from "@/core/model.ts";
import { complain, inside, type Place } from "./complaints.ts";
import type { Loading } from "./configuration.ts";
import { readYamlFile } from "./entries.ts";
import { type Block, block, flag, integer, readMembers } from "@/plugins/kit/members.ts";

const ROOT = "authentication_policies";

const DEFAULTS: readonly AuthPolicy[] = ["apikey", "basic", "jwt", "saml", "login_form", "cookie"]
  .map((name, index) => {
    const enabled = name !== "jwt" && name !== "saml";
    return { name, enabled, priority: index + 1, visible: true, section: {} };
  });

/** Every block, enabled or not, lowest priority number first. */
export function readAuthPolicies(file: string, loading: Loading): readonly AuthPolicy[] {
  const place: Place = { file, key: "", complaints: loading.complaints };
  const content = readYamlFile(file, loading);
  if (!content && loading.complaints.some((known) => known.file === file)) return [];
  if (!content && !loading.read.has(file)) return DEFAULTS;
  const blocks = readMembers(content ?? {}, place, { [ROOT]: block }, [ROOT])[ROOT] ?? {};
  const policies = Object.entries(blocks).flatMap(([name, value]) => {
    const at = inside(inside(place, ROOT), name);
    const section = block(value, at);
    return section ? [readPolicy(name, section, at)] : [];
  });
  complainAboutTies(policies, inside(place, ROOT));
  return policies.sort((a, b) => a.priority - b.priority);
}

function readPolicy(name: string, section: Block, place: Place): AuthPolicy {
  const { enabled, priority } = readMembers(pick(section, ["enabled", "priority"]), place, {
    enabled: flag,
    priority: integer(Number.MIN_SAFE_INTEGER),
  }, ["enabled", "priority"]);
  return {
    name,
    enabled: enabled ?? false,
    priority: priority ?? 0,
    visible: readVisible(section, place),
    section,
  };
}

/** `gui: {visible: true}` or `gui.visible: true`; visible by default. */
function readVisible(section: Block, place: Place): boolean {
  const nested = readMembers(pick(section, ["gui"]), place, { gui: block }).gui ?? {};
  const { visible } = readMembers(nested, inside(place, "gui"), { visible: flag });
  const flat = readMembers(pick(section, ["gui.visible"]), place, { "gui.visible": flag })["gui.visible"];
  if (visible !== undefined && flat !== undefined) {
    complain(inside(place, "gui.visible"), "Is set a second time: it stands under gui, too");
  }
  return visible ?? flat ?? true;
}

function complainAboutTies(policies: readonly AuthPolicy[], place: Place): void {
  const first = new Map<number, string>();
  for (const { name, enabled, priority } of policies) {
    if (!enabled) continue;
    const other = first.get(priority);
    if (other === undefined) first.set(priority, name);
    else {complain(
        inside(inside(place, name), "priority"),
        `Expected another priority than that of ${quote(other)}, found ${priority} for both`,
      );}
  }
}

function pick(section: Block, names: readonly string[]): Block {
  return Object.fromEntries(Object.entries(section).filter(([name]) => names.includes(name)));
}
