import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { tokenize } from "@/core/sql/query_tokens.ts";
import type { SqlLexis } from "@/plugins/contract.ts";
import { whyNoServer } from "@/tests/support/servers/mod.ts";
import { PARSED_ENGINES, type ParsedEngine } from "./parsers.ts";

/** Expressions of every engine; `:a` and `:b` are parameters, `:x` is not. */
const EXPRESSIONS = [
  ":a",
  ":b",
  "( :a )",
  "':x'",
  "'it''s :x'",
  "'/* :x'",
  "'-- :x'",
  "''",
  '1 AS "c:x"',
  "1 /* :x ' \" */",
  "1 -- :x ' \n",
  "1 --\t:x\n",
  "/* ' */ :a",
  "CASE WHEN :a = :b THEN ':x' ELSE 'y' END",
  "10.5e-1",
  "1/2",
];

const SPACES = [" ", "\n", "/* :x */", "/**/", " -- :x\n", "\t", "\r\n"];

/** A text with expressions that each have a name, and anything between them. */
function texts(own: readonly string[]): fc.Arbitrary<string> {
  const item = fc.tuple(fc.constantFrom(...EXPRESSIONS, ...own), fc.constantFrom(...SPACES));
  return fc.array(item, { minLength: 1, maxLength: 8 }).map((items) => {
    const named = items.map(([expression, space], at) => {
      return / AS /.test(expression) && !/CAST/.test(expression)
        ? expression
        : `${expression}${space} AS c${at}`;
    });
    return `SELECT ${named.join(", ")}`;
  });
}

/** The text with its parameters replaced. */
function replaced(
  sql: string,
  lexis: SqlLexis,
  by: (name: string, number: number) => string,
): string {
  let number = 0;
  return tokenize(sql, lexis).map(({ kind, text }) => kind === "parameter" ? by(text, ++number) : text).join(
    "",
  );
}

for (const [name, engine] of Object.entries<ParsedEngine>(PARSED_ENGINES)) {
  const reason = name === "sqlite" ? undefined : whyNoServer(name as "postgresql" | "mysql" | "mssql");
  const suffix = reason === undefined ? "" : ` (${reason})`;
  Deno.test({
    name: `what we call a parameter is what the parser of ${name} does${suffix}`,
    ignore: reason !== undefined,
    async fn() {
      await using parser = await engine.open();
      const { lexis = engine.lexis, lacking = [] } = parser;
      const own = engine.expressions.filter((expression) => !lacking.includes(expression));
      const check = async (sql: string) => {
        const names: string[] = [];
        const bound = replaced(sql, lexis, (text, number) => {
          names.push(text);
          return engine.placeholder(number);
        });
        const values = names.map((text) => `v${text.slice(1)}`);
        // Of one that is left over the parser would ask for a value, and one too many it would not know.
        const answer = await parser.ask(bound, [...values, "surplus"]);
        assert.equal(answer.count, values.length, sql);
        const literal = await parser.ask(replaced(sql, lexis, (text) => `'v${text.slice(1)}'`), []);
        assert.deepEqual(answer.row.map(String), literal.row.map(String), sql);
      };
      for (const expression of [...EXPRESSIONS, ...own]) await check(`SELECT ${expression}`);
      await fc.assert(fc.asyncProperty(texts(own), check), { numRuns: 150 });
    },
  });
}
