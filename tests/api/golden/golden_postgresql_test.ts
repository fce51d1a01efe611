import { testGoldens } from "./goldens.ts";

testGoldens("postgresql");
