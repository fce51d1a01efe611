import assert from "node:assert/strict";
import { medianRatio, parseWrk } from "@/bench/load.ts";

const REPORT = `Running 3s test @ http://127.0.0.1:8080/
  1 threads and 50 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.23ms    0.45ms   9.87ms   88.00%
    Req/Sec    40.12k     1.02k   41.00k    90.00%
  Latency Distribution
     50%    1.10ms
     75%    1.30ms
     90%    1.60ms
     99%    812.00us
  120360 requests in 3.00s, 80.00MB read
Requests/sec:  40120.33
Transfer/sec:     26.66MB
`;

Deno.test("a report of wrk is read", () => {
  assert.deepEqual(parseWrk(REPORT), {
    requestsPerSecond: 40120.33,
    requests: 120360,
    p50: 1.1,
    p99: 0.812,
  });
});

Deno.test("a report with failed requests is no measurement", () => {
  const report = `${REPORT}  Non-2xx or 3xx responses: 17\n`;
  assert.throws(() => parseWrk(report, "record"), {
    message: "Cannot measure record: Non-2xx or 3xx responses: 17",
  });
});

Deno.test("a text that is no report is refused", () => {
  assert.throws(() => parseWrk("unable to connect"), {
    message: "Cannot read the report of wrk: unable to connect",
  });
});

Deno.test("ratios are those of measurements that followed each other", () => {
  assert.equal(medianRatio([10, 40, 300], [10, 20, 100]), 2);
});
