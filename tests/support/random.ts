/**
 * Property-based tests with the same values in every run: a green test stays green until the code changes.
 * Other values are tried with another seed: `ROWHOUSE_TEST_SEED=$RANDOM deno task test`.
 *
 * @module
 */

import fc from "@/tests/support/packages/fast_check.ts";

fc.configureGlobal({ seed: Number(Deno.env.get("ROWHOUSE_TEST_SEED") ?? 20_261_120) });

export default fc;
