import { testTypes } from "./types.ts";

testTypes("mssql");
