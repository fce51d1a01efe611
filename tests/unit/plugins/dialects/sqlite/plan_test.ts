import assert from "node:assert/strict";
import { judge, type PlanLine, type Sizes, type Verdict } from "@/plugins/dialects/sqlite/query_plan.ts";

const ROWS: { readonly [alias: string]: number } = { small: 300, medium: 9_000, big: 10_001, other: 10_001 };

const SIZES: Sizes = {
  rows: (alias) => ROWS[alias] ?? 10_001,
  weight: (alias) => alias === "heavy" ? 50 : 1,
  uniqueIndex: (index, columns) => index === "unique_pair" && columns >= 2,
  primaryKey: (alias, columns) => alias === "keyed" && columns >= 2,
};

/** One line each; two spaces of indent per level. */
function parse(text: string): PlanLine[] {
  const parents: number[] = [];
  return text.split("\n").map((line, at) => {
    const detail = line.trimStart();
    const depth = (line.length - detail.length) / 2;
    parents[depth] = at + 1;
    return { id: at + 1, parent: depth === 0 ? 0 : parents[depth - 1] ?? 0, detail };
  });
}

const CASES: readonly { title: string; plan: string; verdict: Verdict; page?: Verdict }[] = [
  { title: "a constant", plan: "SCAN CONSTANT ROW", verdict: "inline" },
  { title: "a scan of a small table", plan: "SCAN medium", verdict: "inline" },
  {
    title: "a large row by its key",
    plan: "SEARCH heavy USING INTEGER PRIMARY KEY (rowid=?)",
    verdict: "inline",
  },
  {
    title: "a large row for each row of a small table",
    plan:
      "SCAN medium\nSEARCH heavy USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN\nUSE TEMP B-TREE FOR ORDER BY",
    verdict: "worker",
  },
  { title: "a scan of a large table", plan: "SCAN big", verdict: "worker", page: "paged" },
  {
    title: "a scan of a large index",
    plan: "SCAN big USING COVERING INDEX i",
    verdict: "worker",
    page: "paged",
  },
  { title: "a scan of something unknown", plan: "SCAN x", verdict: "worker", page: "paged" },
  { title: "a scan of a virtual table", plan: "SCAN small VIRTUAL TABLE INDEX 0:", verdict: "inline" },
  { title: "the rowid", plan: "SEARCH big USING INTEGER PRIMARY KEY (rowid=?)", verdict: "inline" },
  { title: "a range of rowids", plan: "SEARCH big USING INTEGER PRIMARY KEY (rowid>?)", verdict: "worker" },
  {
    title: "a whole unique key",
    plan: "SEARCH big USING INDEX unique_pair (a=? AND b=?)",
    verdict: "inline",
  },
  { title: "half a unique key", plan: "SEARCH big USING INDEX unique_pair (a=?)", verdict: "worker" },
  {
    title: "a whole key without rowid",
    plan: "SEARCH keyed USING PRIMARY KEY (a=? AND b=?)",
    verdict: "inline",
  },
  { title: "half a key without rowid", plan: "SEARCH keyed USING PRIMARY KEY (a=?)", verdict: "worker" },
  { title: "an index of a small table", plan: "SEARCH small USING INDEX i (a=?)", verdict: "inline" },
  { title: "an index of a large table", plan: "SEARCH big USING INDEX i (a=?)", verdict: "worker" },
  { title: "two scans that multiply", plan: "SCAN small\nSCAN medium", verdict: "worker" },
  { title: "two scans that stay few", plan: "SCAN small\nSCAN small", verdict: "inline" },
  {
    title: "a scan with an index inside",
    plan: "SCAN medium\nSEARCH small USING INDEX i (a=?)",
    verdict: "inline",
  },
  {
    title: "a page with the parents of its rows",
    plan: "SCAN big\nSEARCH other USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    verdict: "worker",
    page: "paged",
  },
  {
    title: "a page that a join may thin out",
    plan: "SCAN big\nSEARCH other USING INTEGER PRIMARY KEY (rowid=?)",
    verdict: "worker",
  },
  {
    title: "a page that is joined with the parents of its rows",
    plan: "CO-ROUTINE t\n  SCAN big\nSCAN t\nSEARCH other USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    verdict: "worker",
    page: "paged",
  },
  {
    title: "a sorted page that is joined",
    plan: "CO-ROUTINE t\n  SCAN big\n  USE TEMP B-TREE FOR ORDER BY\nSCAN t\n" +
      "SEARCH other USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    verdict: "worker",
  },
  {
    title: "a page that is joined with a large table",
    plan: "CO-ROUTINE t\n  SCAN big\nSCAN t\nSEARCH other USING INDEX i (a=?) LEFT-JOIN",
    verdict: "worker",
  },
  { title: "a page beside a large table", plan: "CO-ROUTINE t\n  SCAN big\nSCAN other", verdict: "worker" },
  { title: "a large sort", plan: "SCAN big\nUSE TEMP B-TREE FOR ORDER BY", verdict: "worker" },
  { title: "a small sort", plan: "SCAN small\nUSE TEMP B-TREE FOR ORDER BY", verdict: "inline" },
  {
    title: "a subquery for each row",
    plan: "SCAN medium\nCORRELATED SCALAR SUBQUERY 1\n  SCAN small",
    verdict: "worker",
  },
  { title: "a subquery once", plan: "SCAN medium\nLIST SUBQUERY 1\n  SCAN small", verdict: "inline" },
  { title: "a large subquery once", plan: "SCAN small\nLIST SUBQUERY 1\n  SCAN big", verdict: "worker" },
  { title: "a derived table", plan: "CO-ROUTINE x\n  SCAN small\nSCAN x", verdict: "inline" },
  {
    title: "a union",
    plan: "COMPOUND QUERY\n  LEFT-MOST SUBQUERY\n    SCAN small\n  UNION ALL\n    SCAN medium",
    verdict: "inline",
  },
  {
    title: "alternatives on indexes",
    plan:
      "MULTI-INDEX OR\n  INDEX 1\n    SEARCH small USING INDEX i (a=?)\n  INDEX 2\n    SEARCH small USING INDEX j (b=?)",
    verdict: "inline",
  },
  {
    title: "a recursion",
    plan: "CO-ROUTINE c\n  SETUP\n    SCAN CONSTANT ROW\n  RECURSIVE STEP\n    SCAN small\nSCAN c",
    verdict: "worker",
  },
];

for (const { title, plan, verdict, page = verdict } of CASES) {
  Deno.test(`a plan is judged by what it reads: ${title}`, () => {
    assert.equal(judge({ plan: parse(plan), stopsAtLimit: false }, SIZES), verdict);
    assert.equal(judge({ plan: parse(plan), stopsAtLimit: true }, SIZES), page);
  });
}
