import assert from "node:assert/strict";
import { TEST_DIALECTS, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { startService } from "@/tests/support/service.ts";

/** With the values whole, a page of these records would be larger than an answer may be in memory. */
const RECORDS = 60;
const LENGTH = 600_000;

interface Words {
  readonly text: string;
  readonly bytes: string;
  readonly manyTexts: string;
  readonly manyBytes: string;
}

/** The types, and the values of many characters (`é🙂` repeated) and bytes (`Ma`). */
const WORDS: Readonly<Record<TestDialect, Words>> = {
  sqlite: {
    text: "TEXT",
    bytes: "BLOB",
    manyTexts: `replace(printf('%.*c', ${LENGTH / 2}, 'x'), 'x', 'é🙂')`,
    manyBytes: `cast(replace(printf('%.*c', ${LENGTH / 2}, 'x'), 'x', 'Ma') as blob)`,
  },
  postgresql: {
    text: "text",
    bytes: "bytea",
    manyTexts: `repeat('é🙂', ${LENGTH / 2})`,
    manyBytes: `repeat('Ma', ${LENGTH / 2})::bytea`,
  },
  mysql: {
    text: "longtext character set utf8mb4",
    bytes: "longblob",
    manyTexts: `repeat('é🙂', ${LENGTH / 2})`,
    manyBytes: `repeat('Ma', ${LENGTH / 2})`,
  },
  mssql: {
    text: "nvarchar(max)",
    bytes: "varbinary(max)",
    manyTexts: `replicate(convert(nvarchar(max), N'é🙂'), ${LENGTH / 2})`,
    manyBytes: `convert(varbinary(max), replicate(convert(varchar(max), 'Ma'), ${LENGTH / 2}))`,
  },
};

function scriptOf(dialect: TestDialect): string {
  const { text, bytes, manyTexts, manyBytes } = WORDS[dialect];
  const record = (id: number) =>
    `INSERT INTO Doc VALUES (${id}, 1, 'Doc ${id}', ${manyTexts}, ${manyBytes});\n`;
  return `CREATE TABLE Kind (Id INTEGER PRIMARY KEY, Name VARCHAR(40));
CREATE TABLE Doc (Id INTEGER PRIMARY KEY, Kind INTEGER NOT NULL, Title VARCHAR(40), Body ${text}, Raw ${bytes},
  FOREIGN KEY (Kind) REFERENCES Kind (Id));
INSERT INTO Kind VALUES (1, 'Report');
${Array.from({ length: RECORDS }, (_, index) => record(index + 1)).join("")}`;
}

/** The text and the length of each cell that is cut, and the length of each of bytes. */
function shownIn(page: string): { readonly texts: readonly string[]; readonly bytes: readonly string[] } {
  return {
    texts: [...page.matchAll(/<span class="long">([^<]*)…<\/span> <span class="more"><a [^>]*>([^<]*)<\/a>/g)]
      .map(([, text = "", length = ""]) => `${[...text].length} ${length}`),
    bytes: [...page.matchAll(/ title="(?:TWFN)[^"]*…">([^<]*)<\/a>/g)].map(([, length = ""]) => length),
  };
}

for (const dialect of TEST_DIALECTS) {
  testOn(
    dialect,
    "pages show the beginnings and the lengths of large values, which they do not read",
    async () => {
      const made = { id: "Large", made: scriptOf };
      await using service = await serveOn(dialect, made, startService);
      const load = async (path: string) => {
        const answer = await service.fetch(`/db/Large/${path}`);
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        return text;
      };

      // A list shows 300 units of UTF-16: 200 characters.
      const characters = "600,000 characters";
      const list = await load(`Doc.html?limit=${RECORDS}`);
      assert.deepEqual(shownIn(list), {
        texts: Array.from({ length: RECORDS }, () => `200 ${characters}`),
        bytes: Array.from({ length: RECORDS }, () => "600,000 bytes"),
      });
      assert.equal(list.split(">Report</a>").length, RECORDS + 1);

      const columns = await load("Doc/Title,Raw.html?limit=2&sort=-Id");
      assert.deepEqual(shownIn(columns).bytes, ["600,000 bytes", "600,000 bytes"]);
      assert.match(columns, new RegExp(`"/db/Large/Doc/Id/${RECORDS}/Raw.html"`, "i"));

      // A record shows 5,000 units.
      assert.deepEqual(shownIn(await load("Doc/Id/7.html")), {
        texts: [`3333 ${characters}`],
        bytes: ["600,000 bytes"],
      });
      assert.ok((await load("Doc/Id/7/Body.html")).length > LENGTH);
    },
  );
}
