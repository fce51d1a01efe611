/**
 * Pages about the service itself: licence, settings. For administrators.
 *
 * @module
 */

import { SETTING_GROUPS } from "@/config/settings.ts";
import { defined } from "@/core/base/defined.ts";
import { licenceDocument } from "@/core/definitions/licence_document.ts";
import { planDocument } from "@/core/documents/plan_document.ts";
import { forbidden, quote } from "@/core/errors.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { ADMIN, type Caller } from "@/core/identity/permissions.ts";
import type { JsonObject } from "@/core/model.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageFacts, PageView } from "@/plugins/contract.ts";
import { section } from "./blocks.ts";

const LICENCE_LABELS: Readonly<Record<string, string>> = {
  state: "State",
  reason: "Why it is invalid",
  licensee: "Licensee",
  edition: "Edition",
  expires: "Ends (UTC)",
  max_users: "Users allowed",
  max_databases: "Databases allowed",
  features: "Features",
  users: "Users now",
  databases: "Databases now",
};

/**
 * Plans `/license`: admin reads the licence and replaces it; with `only-validate` a new one is only checked.
 * Throws 403 for other users than admin, 405 for other methods.
 */
export function planLicence(
  request: ApiRequest,
  { user }: Caller,
  { service, typed }: PlanInput,
): SimplePlan {
  if (!mayDo(user, "view", { kind: "licence" })) {
    throw forbidden(`User ${quote(user.login)} may not see the licence`);
  }
  const isTrial = request.parameters["only-validate"] === true;
  return planDocument(request, service, () => licenceDocument(service.licence, service), {
    view: () => licenceView(service, typed),
    changes: { POST: () => ({ kind: "task", task: { does: "licence", isTrial } }) },
  });
}

/** The licence in force, and the form for another one, which can be checked first. */
function licenceView(service: Service, typed: FormState | undefined): PageView {
  const tree = licenceDocument(service.licence, service).document.tree as JsonObject;
  const result = typed?.values.get("ui.result")?.[0];
  return {
    title: "Licence",
    blocks: [
      licenceFacts(tree),
      section("other", "Use another licence", {
        kind: "form",
        action: `${service.prefix}/ui/license`,
        hidden: { "ui.method": "POST", "ui.next": `${service.prefix}/license.html`, "ui.done": "licence" },
        fields: [{
          kind: "field",
          name: "s.license",
          label: "Licence",
          input: "long text",
          isRequired: true,
          value: typed?.values.get("s.license")?.[0] ?? "",
        }],
        ...defined({ problem: typed?.problem }),
        ...(result === undefined ? {} : { before: [licenceFacts(JSON.parse(result))] }),
        buttons: [{ label: "Use it" }, { label: "Check it", name: "ui.check", value: "true" }],
      }),
    ],
  };
}

function licenceFacts(tree: JsonObject): PageBlock {
  const items = Object.entries(tree).flatMap(([name, value]) =>
    value === null ? [] : [{ label: LICENCE_LABELS[name] ?? name, value: String(value) }]
  );
  return { kind: "facts", items };
}

/** `/settings`: values, meanings and defaults. Users other than `admin` see only the settings for clients. */
export function settingsView({ user }: Caller, service: Service): PageView {
  const { product, version, settings } = service;
  const about: PageBlock = {
    kind: "facts",
    items: [{ label: "Product", value: product }, { label: "Version", value: version }, {
      label: "Logged in as",
      value: user.login,
    }],
  };
  if (user.login !== ADMIN) return { title: "Settings", blocks: [about] };
  const groups = Object.entries(SETTING_GROUPS).map(([title, group], index) => {
    const items = Object.entries<Described>(group).map(([key, setting]) => factOf(key, setting, settings));
    return section(`settings-${index}`, title, { kind: "facts", items });
  });
  return {
    title: "Settings",
    lead: "They are set in service.ini; a change needs a restart.",
    blocks: [about, ...groups],
  };
}

interface Described {
  readonly doc: string;
  readonly default?: string | { readonly shown: string };
  readonly secret?: true;
}

/** The value in force; below it the meaning, and the default if it is another one. */
function factOf(
  label: string,
  { doc, default: initial, secret }: Described,
  settings: Service["settings"],
): PageFacts["items"][number] {
  const set = plain((settings as Readonly<Record<string, unknown>>)[label]);
  const value = set === "" ? "(unset)" : secret ? "(secret)" : set;
  const fallback = typeof initial === "string" ? initial : initial?.shown ?? "";
  const isOther = fallback !== "" && fallback !== value;
  const text = isOther ? `${doc} Default: ${fallback}` : doc;
  const note = text.replaceAll("`", "").replace(/\[([^\]]*)\]\((\w+\.md)[^)]*\)/g, "$1 (docs/$2)");
  return { label, value, note };
}

function plain(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  return value instanceof RegExp ? value.source : String(value);
}
