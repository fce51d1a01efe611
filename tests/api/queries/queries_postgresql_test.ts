import { testQueries } from "./queries.ts";

testQueries("postgresql");
