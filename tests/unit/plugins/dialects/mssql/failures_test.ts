import assert from "node:assert/strict";
import { ConnectionError, InputError, RequestError } from "tedious";
import { classify, connectFailure, explain, reported } from "@/plugins/dialects/mssql/failures.ts";
import type { Failure } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";

/** An error in the form of the server. */
function told(number: number, message = "Something about the server DB01", errorClass = 16): RequestError {
  const error = new RequestError(message, "EREQUEST");
  return Object.assign(error, { number, class: errorClass, serverName: "DB01" });
}

const NUMBERS: readonly (readonly [number, Failure])[] = [
  [2627, "integrity"],
  [2601, "integrity"],
  [547, "integrity"],
  [515, "integrity"],
  [550, "integrity"],
  [8102, "integrity"],
  [513, "integrity"],
  [11_728, "integrity"],
  [3930, "integrity"],
  [3998, "integrity"],
  [50_000, "integrity"],
  [51_234, "integrity"],
  [102, "invalid"],
  [512, "invalid"],
  [8134, "invalid"],
  [8152, "invalid"],
  [2628, "invalid"],
  [220, "invalid"],
  [8115, "invalid"],
  [8169, "invalid"],
  [241, "invalid"],
  [9420, "invalid"],
  [206, "invalid"],
  [511, "invalid"],
  [537, "invalid"],
  [229, "permission"],
  [230, "permission"],
  [13_560, "permission"],
  [33_504, "permission"],
  [3906, "read-only"],
  [4405, "permission"],
  [18456, "login"],
  [4060, "login"],
  [1205, "contention"],
  [1222, "contention"],
  [3960, "contention"],
  [13_535, "contention"],
  [41_301, "contention"],
  [596, "unavailable"],
  [1101, "storage"],
  [9002, "storage"],
  [16917, "invalid"],
  [40613, "unavailable"],
  [208, "changed"],
  [207, "changed"],
  [2812, "changed"],
  [16943, "changed"],
  [8003, "too-complex"],
  [8632, "too-complex"],
  [217, "too-complex"],
];

for (const [number, failure] of NUMBERS) {
  Deno.test(`error ${number} of the server is ${failure}`, () =>
    assert.equal(classify(told(number)), failure));
}

/** An error whose number the service does not list. */
const CLASSES: readonly (readonly [number, Failure | undefined])[] = [
  [10, undefined],
  [11, "invalid"],
  [14, "permission"],
  [15, "invalid"],
  [16, "invalid"],
  [17, "unavailable"],
  [19, "unavailable"],
  [21, "unavailable"],
];

for (const [errorClass, failure] of CLASSES) {
  Deno.test(`an unknown error of class ${errorClass} is ${failure ?? "not classified"}`, () => {
    assert.equal(classify(told(49_999, "Something", errorClass)), failure);
  });
}

Deno.test("a login is refused, unless the server lacks something", () => {
  const error = new ConnectionError("Login failed", "ELOGIN");
  const failureOf = (number: number, errorClass: number) => {
    return connectFailure(error, { number, class: errorClass, message: error.message }).failure;
  };
  assert.deepEqual(
    [failureOf(18_456, 14), failureOf(4060, 11), failureOf(40_613, 14), failureOf(17_197, 20)],
    ["login", "login", "unavailable", "unavailable"],
  );
});

Deno.test("of SQL that is none no part is told", () => {
  const words = "The statement is no SQL that this server understands";
  assert.equal(explain(told(102, "Incorrect syntax near 's3cret'.")), words);
});

const OTHERS: readonly (readonly [string, unknown, Failure | undefined])[] = [
  ["a timeout of the driver", new RequestError("Timeout", "ETIMEOUT"), "timeout"],
  ["a connection that was closed", new RequestError("Connection closed", "ECLOSE"), "unavailable"],
  ["a connection that cannot be used", new RequestError("Not in this state", "EINVALIDSTATE"), "unavailable"],
  ["a connection that was not made", new ConnectionError("Failed to connect", "ESOCKET"), "unavailable"],
  ["a parameter that the driver refuses", new RequestError("Validation failed", "EPARAM"), "invalid"],
  ["a failure of the dialect", new DatabaseFailure("timeout", "Too long"), "timeout"],
  ["an error that ends the connection", told(99_999, "Fatal", 21), "unavailable"],
  [
    "an identity that is counted up to its end",
    told(8115, "Arithmetic overflow error converting IDENTITY to data type int."),
    "integrity",
  ],
  ["several errors, of which one is known", new AggregateError([told(49_999), told(547)]), "integrity"],
  ["errors of somebody else", new AggregateError([new Error("x")]), undefined],
  ["an error of somebody else", new Error("x"), undefined],
  ["nothing", undefined, undefined],
];

for (const [title, error, failure] of OTHERS) {
  Deno.test(`${title} is ${failure ?? "not classified"}`, () => assert.equal(classify(error), failure));
}

Deno.test("an error of the socket means that the connection was lost; what the driver reports is told as it is", () => {
  const socket = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  assert.equal(classify(reported(socket)), "unavailable");
  for (
    const error of [told(547), new ConnectionError("x"), new InputError("x"), new AggregateError([told(547)])]
  ) {
    assert.equal(reported(error), error);
  }
});

const BABELFISH: readonly (readonly [string, Failure | undefined])[] = [
  ['relation "gone" does not exist', "changed"],
  ['column "gone" does not exist', "changed"],
  ['invalid input syntax for type uuid: "x"', "invalid"],
  ["numeric field overflow", "invalid"],
  ["invalid UTF16 byte sequence - code point 0 not supported", "invalid"],
  ["more than one row returned by a subquery used as an expression", "invalid"],
  ["division by zero", "invalid"],
  ['column "id" can only be updated to DEFAULT', "integrity"],
  ["permission denied for table owner", "permission"],
  ["deadlock detected", "contention"],
  ["something else", undefined],
];

for (const [message, failure] of BABELFISH) {
  Deno.test(`Babelfish's words are known where it has no number: ${message}`, () => {
    assert.equal(classify(told(33_557_097, message)), failure);
    assert.equal(classify(told(49_999, message)), "invalid", "Only its own number is told by words");
  });
}

const EXPLAINED: readonly (readonly [unknown, string])[] = [
  [
    told(
      2627,
      "Violation of UNIQUE KEY constraint 'UQ_code'. Cannot insert duplicate key in object 'dbo.owner'.",
    ),
    "Violation of UNIQUE KEY constraint 'UQ_code'. Cannot insert duplicate key in object 'owner'.",
  ],
  [
    told(
      547,
      `The INSERT statement conflicted with the FOREIGN KEY constraint "FK". The conflict occurred in database "shop", table "dbo.owner", column 'id'.`,
    ),
    `The INSERT statement conflicted with the FOREIGN KEY constraint "FK". The conflict occurred in table "owner", column 'id'.`,
  ],
  [
    told(
      2627,
      "Violation of UNIQUE KEY constraint 'UQ'. Cannot insert duplicate key in object 'dbo.owner'. The duplicate key value is (taken (1.5), 123-45).",
    ),
    "Violation of UNIQUE KEY constraint 'UQ'. Cannot insert duplicate key in object 'owner'.",
  ],
  [
    told(
      515,
      "Cannot insert the value NULL into column 'code', table 'web-shop.dbo.owner'; column does not allow nulls. INSERT fails.",
    ),
    "Cannot insert the value NULL into column 'code', table 'owner'; column does not allow nulls. INSERT fails.",
  ],
  [new AggregateError([told(3609, "Ended in the trigger"), told(50_000, "No")]), "Ended in the trigger"],
];

for (const [error, words] of EXPLAINED) {
  Deno.test(`a failure is explained without places: ${words}`, () => assert.equal(explain(error), words));
}
