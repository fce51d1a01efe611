import { testDifferences } from "./differential.ts";

testDifferences(["postgresql", "mysql"], "mirror");
