import { testDialect } from "@/tests/conformance/dialect.ts";
import { sqliteSuite } from "@/tests/conformance/sqlite_suite.ts";

testDialect("sqlite", sqliteSuite);
