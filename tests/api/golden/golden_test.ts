import { testGoldens } from "./goldens.ts";

testGoldens("sqlite");
