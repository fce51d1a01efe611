import { testGoldens } from "./goldens.ts";

testGoldens("mysql");
