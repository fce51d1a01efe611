import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { sendSideBySide } from "@/tests/support/raw_request.ts";
import { testOnEveryEngine } from "./service.ts";

const RUNS = 1500;
const RUNS_ON_SERVERS = 750;
/** Connections that send side by side, each one request after the other. */
const CONNECTIONS = 8;

/** Segments that lead somewhere, by table. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  "Demo/Vessel": "VesselId Name Seats InService LaunchedOn Pennant LengthMetres Port Sailing VesselAmenity"
    .split(" "),
  "Demo/Port": "PortId Name LocalName CountryCode Latitude HasCustoms Notes Country Employee Route Vessel"
    .split(" "),
  "Demo/Employee": "EmployeeId ReportsTo BirthDate Salary Active Email Employee_1 Employee_N Port Crew".split(
    " ",
  ),
  "Demo/Fare": "FareCode Name PerMile TakesSeat Remarks Name,Remarks".split(" "),
  "Limited/Crew": "SailingId EmployeeId Duty Sailing Employee Duty,SailingId".split(" "),
  "Demo/RevenueByMonth": "Month Fare Tickets Revenue".split(" "),
  "Types/Label": "Text Number Shelf".split(" "),
  "Types/Number": "Id Big Exact Digits Float Flag Anything".split(" "),
  "Types/Moment": "Id OnDay At Stamp Clock".split(" "),
  "Types/Shelf": "Room Place Label Label_Label Book".split(" "),
  "Types/Note": "Words Mood".split(" "),
  "Types/Picture": "Id Bytes".split(" "),
  "Types/order": "select from a%20b a%2Fb a__b gr%C3%B6%C3%9Fe %3C&%3E limit __proto__ %2A".split(" "),
  "Types/AC__DC%201_dot0%20%E2%80%93%20Gr%C3%B6%C3%9Fe": "Key__1 Wert".split(" "),
};
const NAMES = [...new Set(Object.values(TABLES).flat()), "Employe", "vessel", "secret_plan", "Secret"];
const VALUES = [
  ..."1 0 -1 1,2 1..3 ..3 3.. .. <null> %3Cnull%3E A* *a* * true 2025-04-01 2025-04-01T00:00:00 1e999 NaN"
    .split(" "),
  ..."99999999999999999999 0.1 %00 %FF %2F __ _dot ~ , ,, '%20or%201=1-- %22 %5C a%0Ab ; ä 日本 😀 \u0085"
    .split(" "),
  "",
  "*".repeat(60),
  "1,".repeat(300),
];
const QUERIES = [
  ..."limit=1 limit=0 limit=-1 offset=3 offset=9007199254740991 sort=Name sort=-Name,VesselId sort=%00 distinct"
    .split(" "),
  ..."count depth=1 depth=2 depth=5 depth=6 stream stream=true href=0 wantarray transpose headers=0 csvNullStr"
    .split(" "),
  ..."nil_visible=0 nullStr=1 separator=; separator=, wildcard=%25 wildcard=e placeholder=a placeholder=%00"
    .split(" "),
  ..."nullStr=%F0%9F%98%80 separator=日 x=1 ui.x=%00 apikey=1 = && %ZZ limit limit=1&limit=1 schema".split(
    " ",
  ),
];
const ACCEPTS = [
  "*/*",
  "text/html",
  "text/*;q=0.1",
  "image/png",
  "",
  ";;;,,,q=",
  "application/xml;q=abc",
  "text/csv",
];

const value = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(..."aZ09._~!$&'()*+,;=:@%-<>|[]{}^`\"\\é") }) },
);
/** Mostly columns of the table with values, sometimes other names and values. */
const steps = (names: readonly string[]) =>
  fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.tuple(fc.constantFrom("", "", "", "~"), fc.constantFrom(...names), value).map((
          [not, name, text],
        ) => `${not}${name}/${text}`),
      },
      { weight: 3, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
      { weight: 1, arbitrary: value },
    ),
    { maxLength: 4 },
  );
const path = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(...Object.entries(TABLES)).chain(([table, names]) =>
      steps(names).map((list) => ["/db", table, ...list].join("/"))
    ),
  },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(value, fc.constantFrom("db", "Demo", "Offline", "Vault", "settings", ...NAMES)),
      {
        maxLength: 4,
      },
    ).map((list) => `/db/${list.join("/")}`),
  },
  { weight: 1, arbitrary: fc.array(value, { maxLength: 4 }).map((list) => `/${list.join("/")}`) },
);
const request = fc.record({
  method: fc.constantFrom(
    "GET",
    "GET",
    "GET",
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "QUERY",
  ),
  target: fc.tuple(
    path,
    fc.constantFrom("", ".json", ".json", ".json", ".xml", ".csv", ".html", ".txt", ".JSON", "/"),
    fc.array(fc.constantFrom(...QUERIES), { maxLength: 2 }),
  ).map(([path, extension, queries]) =>
    path + extension + (queries.length > 0 ? `?${queries.join("&")}` : "")
  ),
  headers: fc.oneof(fc.constant({}), fc.constantFrom(...ACCEPTS).map((Accept) => ({ Accept }))),
});

testOnEveryEngine(
  "no request whatsoever is answered with a failure of the service",
  async (service, dialect) => {
    const requests = fc.sample(request, dialect === "sqlite" ? RUNS : RUNS_ON_SERVERS);
    const seen = new Map<number, number>();
    await sendSideBySide(service.port, requests, {
      connections: CONNECTIONS,
      check({ status, headers: sent }, { method, target, headers }) {
        const isExpected = status < 500 || status === 501 || (status === 503 && sent.has("retry-after"));
        assert.ok(isExpected, `${status} for ${method} ${target} ${JSON.stringify(headers)}`);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      },
    });
    for (const status of [200, 302, 400, 404, 405, 406]) {
      assert.ok(seen.has(status), `none was ${status}`);
    }
    assert.doesNotMatch(await service.log(), /failed unexpectedly/);
  },
);
