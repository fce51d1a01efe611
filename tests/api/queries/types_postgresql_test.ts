import { testTypes } from "./types.ts";

testTypes("postgresql");
