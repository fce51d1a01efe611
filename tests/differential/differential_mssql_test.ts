import { testDifferences } from "./differential.ts";

testDifferences(["mssql"], "trimmed_mirror");
