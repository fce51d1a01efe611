import { testSequences } from "./sequence_tests.ts";

testSequences("mssql");
