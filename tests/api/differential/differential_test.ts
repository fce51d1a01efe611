import { testDifferences } from "./differential.ts";

testDifferences(["postgresql", "mysql"], { source: "mirror", writes: true });
