import { testDifferences } from "./differential.ts";

// To put rows back is a change of the schema to SQL Server's counters, which the service would notice all the time.
testDifferences(["mssql"], { source: "trimmed_mirror", writes: false });
