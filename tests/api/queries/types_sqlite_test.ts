import { testTypes } from "./types.ts";

testTypes("sqlite");
