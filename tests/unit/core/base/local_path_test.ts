import assert from "node:assert/strict";
import { localPath } from "@/core/base/local_path.ts";

const GOOD: readonly (readonly [text: string, path: string])[] = [
  ["/", "/"],
  ["/db", "/db"],
  ["/db/Demo/Port.html?limit=29&sort=Name", "/db/Demo/Port.html?limit=29&sort=Name"],
  ["/db/Demo/Port/Name/A%2FB.html", "/db/Demo/Port/Name/A%2FB.html"],
  ["/db/Demo/Port/Name/Malmö.html", "/db/Demo/Port/Name/Malm%C3%B6.html"],
  ["/db/Demo/Port//Name.html", "/db/Demo/Port//Name.html"],
  ["/db?next=https://evil.example/", "/db?next=https://evil.example/"],
  ["/db/../query", "/query"],
  ["/loginless", "/loginless"],
];

const BAD: readonly string[] = [
  "",
  "db",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\/evil.example",
  "\\\\evil.example",
  "/db\\..\\..\\evil",
  "https://evil.example/",
  "https:/evil.example/",
  "https:evil.example",
  "HTTPS://evil.example",
  "http://service.invalid/db",
  "javascript:alert(1)",
  "data:text/html,x",
  "/%2f%2fevil.example",
  "/%2Fevil.example",
  "/%5cevil.example",
  "%2f%2fevil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r\nSet-Cookie: a=b",
  "/db\0",
  "/\u0085/evil.example",
  "\t//evil.example",
  " //evil.example",
  "/ /evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "/db/..//evil.example",
  "/./\\evil.example",
  "@evil.example",
  ".evil.example",
  "?x",
  "#x",
  "/login",
  "/login?next=/db",
  "/logout",
  "/logout.html",
  "/first-run",
  `/${"a".repeat(2000)}`,
  `/${"ü".repeat(500)}`,
];

for (const [text, path] of GOOD) {
  Deno.test(`${JSON.stringify(text)} is a path of the service`, () =>
    assert.equal(localPath(text, ""), path));
}

for (const text of BAD) {
  Deno.test(`${JSON.stringify(text).slice(0, 60)} leads nowhere`, () => {
    assert.equal(localPath(text, ""), undefined);
  });
}

const BELOW: readonly (readonly [text: string, path: string | undefined])[] = [
  ["/api", "/api"],
  ["/api/", "/api/"],
  ["/api/db.html", "/api/db.html"],
  ["/api?x", "/api?x"],
  ["/", undefined],
  ["/db", undefined],
  ["/apievil/db", undefined],
  ["/api.evil.example/db", undefined],
  ["/api/../evil", undefined],
  ["/api/%2e%2e/evil", undefined],
  ["/api//evil.example", undefined],
  ["/api/%2fevil.example", undefined],
  ["/api/login", undefined],
];

for (const [text, path] of BELOW) {
  Deno.test(`below /api, ${JSON.stringify(text)} ${path === undefined ? "leads nowhere" : "is a path"}`, () => {
    assert.equal(localPath(text, "/api"), path);
  });
}
