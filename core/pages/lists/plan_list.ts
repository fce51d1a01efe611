/**
 * Plans the page of a list: its filters and columns as links, and the forms that change them.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { stateAddress, wholeLimitOf } from "@/core/pages/address.ts";
import { dataCrumbs } from "@/core/pages/data_crumbs.ts";
import { neighboursOf, type OpenPlan, placeInList, planOpen } from "@/core/pages/records/neighbours.ts";
import { placeOf } from "@/core/pages/records/place.ts";
import { planRecordForm, purposeOf, type RecordFormPlan } from "@/core/pages/records/plan_record_form.ts";
import {
  asksSummary,
  planListSummary,
  type SummaryPagePlan,
} from "@/core/pages/summaries/plan_summary_page.ts";
import type { Redirect, ViewPlan } from "@/core/plan.ts";
import { queryChanger } from "@/core/request/change_query.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { SortKey } from "@/core/request/parameter_values.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import { columnSegment, isWritable } from "@/core/schema/table.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import type { CompiledRead, DataRequest } from "@/core/tables/compile_read.ts";
import { LargeCount } from "@/core/tables/large_counts.ts";
import { asksCounts, isPage, MOST_COUNTED } from "@/core/tables/page_read.ts";
import { planRead, type ReadPlan, walkInput } from "@/core/tables/plan_read.ts";
import { sortedColumn } from "@/core/tables/plan_selection.ts";
import type { Crumb, FilterFields, PageList, PageRecord, RefusedFilter } from "@/plugins/contract.ts";
import { choicesOf } from "./list_choices.ts";
import { changedFilter, changingOf, filterLink, filtersOf, sentFilter } from "./list_filters.ts";
import { addressOf, type ListInput } from "./list_input.ts";
import { partsOf, segmentsOf } from "./list_path.ts";
import { planFacet } from "./plan_facet.ts";
import { type KeyedPlan, type ListPlan, planKeyed } from "./plan_keyed.ts";
import { offerOf, planOffer } from "./plan_offer.ts";

/** Rows that are read for a page: 300 KB have room for fewer, even of one column with nothing in it. */
const MOST_ROWS = 16_384;

/**
 * Plans a read for people. A form about filters or columns redirects (303) to the path that it stands for.
 */
export function planPage(
  input: DataRequest,
  typed: FormState | undefined,
): ListPlan | KeyedPlan | RecordFormPlan | SummaryPagePlan | OpenPlan | ViewPlan | Redirect {
  const walk = walkPath(input.segments, walkInput(input));
  const purpose = purposeOf(input, walk);
  if (purpose) {
    const plan = planRecordForm(purpose, walk, input, typed);
    return purpose === "delete" ? { ...plan, ...defined({ list: neighboursOf(input).list }) } : plan;
  }
  const ui = uiValues(input.request.query);
  const change = queryChanger(input.request.query, input.service.credentialNames);
  const list = { input, walk, ui, change, ...partsOf(input.segments, walk) };
  if (asksSummary(input.request) && !walk.last.single) {
    const sentences = filtersOf(list).map(({ sentence }) => sentence);
    return planListSummary(walk, input, { filtered: filterLink(list), sentences });
  }
  if (ui.has("open") && !walk.last.single) return planOpen(segmentsOf(list.parts), list.columns, input);
  const plan = planRead(input, walk);
  if (plan.kind !== "read") return plan;
  const crumbs = dataCrumbs(walk, input);
  const whole = walk.last.single ? {} : wholeLimitOf(input.managed);
  if (!isPage(input.request, walk, plan.stream)) return { ...plan, shown: { crumbs, ...whole } };
  if (walk.last.single) {
    return { ...plan, shown: { crumbs, record: recordFacts(walk, input) }, links: linksFrom(list) };
  }
  const page = (refused?: RefusedFilter) => listPage(plan, list, crumbs, refused);
  const fields = sentFilter(list);
  const keyed = fields && planKeyed(fields, list, page);
  if (keyed) return keyed;
  const changed = changedColumns(list) ?? (fields && changedFilter(fields, list));
  if (typeof changed === "string") return { kind: "redirect", status: 303, location: encodeUrl(changed) };
  return page(changed);
}

/** The page, with the reads that its address asks for. */
function listPage(
  plan: ReadPlan,
  list: ListInput,
  crumbs: readonly Crumb[],
  refused: RefusedFilter | undefined,
): ListPlan {
  const { input, walk, ui, change } = list;
  const { parameters: { count, distinct = false } } = input.request;
  const counted = count ? {} : { counted: new LargeCount(input.managed.meter, input.view, walk, distinct) };
  const described = describe(list, plan.compiled, refused);
  const column = described.opened?.column;
  const offered = column === undefined ? undefined : offerOf(column, walk, input.service.links);
  const opened = offered?.kind === "values" && column !== undefined
    ? { opened: { column, offered: offered.options } }
    : {};
  const facts = { crumbs, ...wholeLimitOf(input.managed), list: { ...described, ...opened } };
  const limit = Math.min(plan.limit ?? Infinity, MOST_ROWS);
  const read = { ...plan, ...counted, limit, shown: facts };
  const faceted = ui.get("facet")?.at(-1);
  const facet = faceted === undefined ? undefined : planFacet(faceted, walk, input, {
    close: `${input.service.prefix}${input.request.path}.${input.request.format.name}${change({})}`,
    filtered: filterLink(list),
  });
  const offer = offered?.kind === "records" ? planOffer(offered, input) : undefined;
  return facet || offer ? { kind: "beside", list: read, ...defined({ facet, offer }) } : read;
}

/**
 * The lists without one filter of a record that does not exist: people may have filtered a list by its key. A
 * single filter needs none, because the page of the error leads to the whole table.
 */
function linksFrom(list: ListInput): NonNullable<ReadPlan["links"]> {
  const filters = filtersOf(list);
  if (filters.length < 2) return [];
  return filters.map(({ sentence, without }) => ({ label: `Remove the filter ${sentence}`, href: without }));
}

/** The changes of a record that the caller may make, as addresses of forms. */
function recordFacts(walk: Walk, input: DataRequest): PageRecord {
  const { request, view, service } = input;
  const { table } = walk.last;
  const own = `${service.prefix}${request.path}.html`;
  const place = placeOf(uiValues(request.query));
  const may = (operation: "create" | "update" | "delete") =>
    view.may(table.name, operation) && isWritable(table, operation);
  return {
    ...(may("update") ? { edit: `${own}?ui.edit${place}` } : {}),
    ...(may("create") ? { copy: `${own}?ui.copy${place}` } : {}),
    ...(may("delete") ? { remove: `${own}?ui.delete${place}` } : {}),
    ...neighboursOf(input),
  };
}

/**
 * The address with the columns of the form (`ui.show`), or without one (`ui.hide`); undefined
 * if the request asks for neither.
 */
function changedColumns(list: ListInput): string | undefined {
  const {
    walk: { columns, last: { table } },
    parts,
    ui,
    input: { request: { parameters }, service: { links } },
  } = list;
  const { separator = "," } = parameters;
  const [wanted, hidden] = [ui.get("show"), ui.get("hide")];
  if (!wanted && !hidden) return undefined;
  const isShown = (position: number) => columns?.includes(position) ?? true;
  const chosen = table.columns.filter(({ name }, position) =>
    wanted ? wanted.includes(name) : isShown(position) && !hidden?.includes(name)
  );
  const all = chosen.length === 0 || chosen.length === table.columns.length;
  const listed = all
    ? []
    : [chosen.map(({ name }) => columnSegment(name, table, links)).join(encodeURI(separator))];
  return addressOf([...segmentsOf(parts), ...listed], list);
}

function describe(list: ListInput, compiled: CompiledRead, refused: RefusedFilter | undefined): PageList {
  const { input, walk, columns, change } = list;
  const { request: { parameters: { sort = [], count } }, service } = input;
  const own = `${service.prefix}/db/${[input.request.segments[0] ?? "", ...input.segments].join("/")}.html`;
  const filters = filtersOf(list);
  const first = walk.last.table.segment;
  const summary = stateAddress("chart", input.request, service);
  const add = addLink(list);
  const choices = choicesOf(compiled, walk, service);
  const changing = changingOf(list);
  return {
    filters,
    sort: sort.map((key) => ({ column: nameOfColumn(key, walk), descending: key.descending })),
    ...choices,
    action: own,
    kept: keptOf(change({ offset: undefined })),
    ...(filters.length === 0 ? {} : { all: addressOf([first, ...columns], list) }),
    ...(count ? {} : { countedUpTo: MOST_COUNTED }),
    place: placeInList([...segmentsOf(list.parts), ...columns], input),
    summary,
    summaryOf: `${summary}&ui.x=`,
    ...defined({
      refused,
      changing,
      opened: openedOf(list, choices.choices, refused ?? changing),
      counts: countsLink(list),
      add,
      keyless: keylessIn(list),
      // Lines of records are sent as CSV.
      bring: service.formats.byContentType("text/csv") && add?.replace(/ui\.new$/, "ui.import"),
    }),
  };
}

/** For callers who may change records that have no page; engines differ in the views that can be changed. */
function keylessIn({ walk: { last: { table } }, input: { view } }: ListInput): string | undefined {
  const mayChange = table.kind === "table" && (["update", "delete"] as const).some((operation) => {
    return view.may(table.name, operation) && isWritable(table, operation);
  });
  if (table.primaryKey.length > 0 || !mayChange) return undefined;
  return "This table has no key, so its records have no pages on which they can be changed. " +
    "An administrator can name a key in the definition of the database.";
}

/**
 * The column of the filter form, if the address opens it: a foreign key is filtered by what the list shows in
 * its place. Scripts ask for the values of any column.
 */
function openedOf(
  { ui }: ListInput,
  choices: PageList["choices"],
  fields: FilterFields | undefined,
): PageList["opened"] {
  const name = ui.get("filter")?.at(-1);
  const named = name === undefined ? undefined : choices.find(({ instead }) => instead === name) ??
    choices.find(({ relation, label }) => relation === undefined && label === name);
  const column = ui.get("offer")?.at(-1) ?? fields?.column ?? named?.value;
  return column === undefined ? undefined : { column };
}

/** The parameters of a query string. `URLSearchParams` takes ten times as long. */
function keptOf(query: string): PageList["kept"] {
  if (query === "" || /[%+]/.test(query)) return [...new URLSearchParams(query)];
  return query.slice(1).split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name, value.join("=")];
  });
}

/** The address of the page with or without the numbers of related records, which need whole records. */
function countsLink({ walk, change, input: { request, service } }: ListInput): string | undefined {
  if (walk.columns || walk.last.table.toMany.length === 0 || request.parameters.distinct) return undefined;
  const parameters = asksCounts(request) ? change({}) : `${change({ "ui.counts": "" })}#related`;
  return `${service.prefix}${request.path}.html${parameters}`;
}

/** The name of a sorted column; that of a related record is spelled like {@link RelationLabel.order}. */
function nameOfColumn(key: SortKey, { last: { table } }: Walk): string {
  const { via, position = -1 } = sortedColumn(key, table.columnNames, table) ?? {};
  const name = (via?.table ?? table).columns[position]?.name ?? key.column;
  return via ? `${via.name}/${name}` : name;
}

/** A new record belongs to the table, or to the record whose related ones the list has. */
function addLink({ input, walk, parts }: ListInput): string | undefined {
  const { view, request, service } = input;
  const { table } = walk.last;
  if (!view.may(table.name, "create") || !isWritable(table, "create")) return undefined;
  const before = walk.steps.at(-2);
  const isBelow = before?.single === true && walk.last.filters.length === 0;
  const path = isBelow ? segmentsOf(parts) : [table.segment];
  return `${service.prefix}/db/${[request.segments[0] ?? "", ...path].join("/")}.html?ui.new`;
}
