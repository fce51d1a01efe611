/**
 * Reads auth.cfg: the authentication methods and their order. Without the file they are those of the sample.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { AuthPolicy } from "@/core/model.ts";
import { type Block, block, flag, integer, readMembers } from "@/plugins/kit/members.ts";
import { complain, inside, type Loading, type Place } from "./configuration.ts";
import { readYamlFile } from "./entries.ts";
import { readSampleMethods } from "./sample.ts";
import { parseYaml } from "./yaml.ts";

/** The member that has all blocks. */
export const AUTH_ROOT = "authentication_policies";

/** The keys that every block may have; the others are those of its method. */
export const COMMON_KEYS: readonly string[] = ["enabled", "priority", "gui", "gui.visible"];

/** Every block, enabled or not, lowest priority number first. */
export function readAuthPolicies(place: Place, loading: Loading): readonly AuthPolicy[] {
  const content = readYamlFile(place, loading);
  if (!content && loading.complaints.some(({ file }) => file === place.file)) return [];
  if (!content && !loading.read.has(place.file)) {
    const sample = block(parseYaml(readSampleMethods()).value, place) ?? {};
    // Nothing is configured: the methods have none of the sample's keys.
    return policiesIn(sample, place).map((policy) => ({ ...policy, section: {} }));
  }
  return policiesIn(content ?? {}, place);
}

function policiesIn(content: Block, place: Place): readonly AuthPolicy[] {
  const blocks = readMembers(content, place, { [AUTH_ROOT]: block }, [AUTH_ROOT])[AUTH_ROOT] ?? {};
  const root = inside(place, AUTH_ROOT);
  const policies = Object.entries(blocks).flatMap(([name, value]) => {
    const section = block(value, inside(root, name));
    return section ? [readPolicy(name, section, inside(root, name))] : [];
  });
  complainAboutTies(policies, root);
  return policies.sort((a, b) => a.priority - b.priority);
}

/** The other members of a section are those of its method. */
function readPolicy(name: string, section: Block, place: Place): AuthPolicy {
  const known = {
    enabled: flag,
    priority: integer(Number.MIN_SAFE_INTEGER),
    gui: block,
    "gui.visible": flag,
  };
  const given = Object.entries(section).filter(([member]) => Object.hasOwn(known, member));
  const isOff = section["enabled"] === false;
  const { enabled = false, priority = 0, gui = {}, "gui.visible": flat } = readMembers(
    Object.fromEntries(given),
    place,
    known,
    isOff ? ["enabled"] : ["enabled", "priority"],
  );
  const { visible } = readMembers(gui, inside(place, "gui"), { visible: flag });
  if (visible !== undefined && flat !== undefined) {
    complain(inside(place, "gui.visible"), "Is set a second time: it stands under gui, too");
  }
  return { name, enabled, priority, visible: visible ?? flat ?? true, section };
}

function complainAboutTies(policies: readonly AuthPolicy[], place: Place): void {
  const first = new Map<number, string>();
  for (const { name, enabled, priority } of policies) {
    if (!enabled) continue;
    const other = first.get(priority);
    first.set(priority, other ?? name);
    if (other === undefined) continue;
    const at = inside(inside(place, name), "priority");
    complain(at, `Expected another priority than that of ${quote(other)}, found ${priority} for both`);
  }
}
