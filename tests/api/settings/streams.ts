/**
 * Settings of streaming.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { type Effect, isStreamed, statusOf } from "./effect.ts";

const FORMATS = ["json", "xml", "csv", "html", "txt"] as const;

const TARGET = "/db/Demo/Port";

/** Each format's own setting, and nothing happens to the others. */
const ownSettings = FORMATS.map((format): Effect => ({
  keys: ["<format>_sdb.stream_by_default"],
  title: `streams ${format} and no other format`,
  ini: [`${format}_sdb.stream_by_default = True`],
  async check(service) {
    for (const other of FORMATS) {
      assert.equal(await isStreamed(service, `${TARGET}.${other}?limit=5`), other === format, other);
      assert.equal(await isStreamed(service, `${TARGET}.${other}?limit=5&stream=false`), false, other);
    }
  },
}));

/** How many pieces an answer of 200 rows is sent in. */
async function countChunks(port: number): Promise<number> {
  using stream = await RawStream.open(port, "/db/Demo/Ticket.csv?stream&limit=200");
  return await stream.countChunks();
}

/** Settings of streams, a test for each. The transfer encoding tells whether an answer is a stream. */
export const STREAMS: readonly Effect[] = [
  ...ownSettings,
  {
    keys: ["stream_by_default"],
    title: "streams every format that does not say otherwise",
    ini: ["stream_by_default = True", "csv_sdb.stream_by_default = False"],
    async check(service) {
      for (const format of FORMATS) {
        assert.equal(await isStreamed(service, `${TARGET}.${format}?limit=5`), format !== "csv", format);
        assert.equal(await isStreamed(service, `${TARGET}.${format}?limit=5&stream=0`), false, format);
      }
    },
  },
  {
    keys: ["stream_by_default"],
    title: "just does not apply where nothing can be streamed",
    ini: ["stream_by_default = True"],
    async check(service) {
      assert.equal(await statusOf(service, `${TARGET}.json?depth=1&limit=5`), 200);
      assert.equal(await statusOf(service, `${TARGET}.json?transpose&limit=5`), 200);
      assert.equal(await statusOf(service, `${TARGET}.json?depth=1&limit=5&stream`), 501);
      assert.equal(await statusOf(service, `${TARGET}/PortId/1.json`), 200);
    },
  },
  {
    keys: ["orm_sdb.yield_per"],
    title: "is the number of rows in each piece of a stream",
    ini: ["orm_sdb.yield_per = 10"],
    async check({ port }) {
      assert.equal(await countChunks(port), 20);
    },
  },
  {
    keys: ["orm_sdb.yield_per"],
    title: "may be written without its section, and then is the number of rows, too",
    ini: ["yield_per = 100"],
    async check({ port }) {
      assert.equal(await countChunks(port), 2);
    },
  },
];
