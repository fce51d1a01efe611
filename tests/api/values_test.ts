import { loadTests } from "@/tests/support/load_tests.ts";

await loadTests(import.meta.resolve("./values/"));
