// All of their services run all the time, so no test of theirs is asked whether it has left something behind.
import "@/tests/support/service.ts";
import { loadTests } from "@/tests/support/load_tests.ts";

await loadTests(import.meta.resolve("./http/"));
