/** @module The content of the table `kinds` of the dialect suite. */

/**
 * Rows of `kinds` by their id, in the form of a dialect, without the id. A
 * decimal may be a number or its digits.
 */
export const KINDS = {
  1: [
    42,
    "12345678.25",
    0.5,
    true,
    "Zoë 🎈 O'Neill",
    "2009-01-02",
    "2009-01-02T03:04:05.678",
    new Uint8Array([0, 255]),
  ],
  3: [9007199254740993n, "-0.01", -1e300, false, "", "1970-01-01", "1999-12-31T23:59:59", new Uint8Array()],
} as const;

/** The columns of `kinds` without the id, in the order of {@link KINDS}. */
export const KIND_COLUMNS = [
  "an_integer",
  "a_decimal",
  "a_float",
  "a_boolean",
  "a_text",
  "a_date",
  "a_datetime",
  "a_binary",
] as const;
