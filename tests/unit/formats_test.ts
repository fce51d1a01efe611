import { loadUnitTests } from "@/tests/support/load_tests.ts";

await loadUnitTests(import.meta.resolve("./formats/"));
