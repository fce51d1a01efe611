import { testTypes } from "./types.ts";

testTypes("mysql");
