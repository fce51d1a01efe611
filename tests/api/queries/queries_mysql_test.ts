import { testQueries } from "./queries.ts";

testQueries("mysql");
