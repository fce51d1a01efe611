import { testGoldens } from "./goldens.ts";

testGoldens("mssql");
