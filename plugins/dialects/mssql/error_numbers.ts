/**
 * SQL Server's errors by their number.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

const BY_FAILURE: { readonly [Kind in Failure]?: readonly number[] } = {
  integrity: [
    515, // NULL in a column that does not allow it
    547, // foreign key, check
    550, // WITH CHECK OPTION of a view
    2601, // unique index
    2627, // unique key
    3609, // ended by a trigger
    3616, // an error in a trigger
    334, // a table with triggers
    271, // a computed column
    272, // a timestamp column, in an update
    273, // a timestamp column, in an insert
    544, // an identity column, in an insert
    8102, // an identity column, in an update
    2113, // INSTEAD OF triggers and cascades
  ],
  invalid: [
    16915, // cursors of a procedure: existing, missing, not open
    16916,
    16917,
    102, // invalid SQL
    105,
    156,
    170,
    209, // an ambiguous name
    512, // a subquery with several rows
    8134, // division by zero
    220, // out of range
    232,
    241, // not a date
    242, // a date out of range
    245, // not a number
    248,
    260, // no implicit conversion
    293, // not money
    294,
    295, // not a smalldatetime
    296, // smalldatetime out of range
    305, // xml cannot be compared
    306, // text cannot be compared
    402, // incompatible types
    421, // DISTINCT not supported by the type
    517, // a date out of range
    529, // no explicit conversion
    2628, // too long
    6522, // refused by .NET
    6905, // XML that violates its schema
    6908,
    6910,
    6913,
    6918,
    6921,
    6923,
    6926,
    6965,
    8114, // not a number
    8115, // overflow
    8116, // a function not defined for this type
    8117,
    8152, // too long
    8169, // not a uniqueidentifier
    8023, // not a valid value of a type
    8180,
    13609, // not JSON
    9803, // invalid data for a type
  ],
  permission: [
    229, // no right on an object
    230, // no right on a column
    262, // no right in the database
    300, // no right on the server
    297, // no right for an action
    1088, // no such object, or no right on it
    3906, // a read-only database
    4403, // views that cannot be changed
    4405,
    4406,
    4414,
    4416,
    4421,
    4902,
    15247,
  ],
  login: [916, 4060, 4062, 4064, 18450, 18452, 18456, 18461, 18470, 18486, 18487, 18488],
  timeout: [],
  contention: [
    1205, // the victim of a deadlock
    1222, // a lock timeout
    3960, // changed since the snapshot
    41302,
    41305,
    41325,
    41839,
  ],
  unavailable: [
    233, // no connection
    596, // ended by an operator
    601, // data has moved
    701, // no memory
    802,
    904, // databases that are not open
    922,
    924,
    926,
    927,
    942,
    945,
    952,
    972,
    976,
    983,
    1105, // no room
    3952, // the snapshot is gone
    6005, // shutting down
    18451, // shutting down, during a login
    8645, // no memory in time
    8651,
    9002, // no room for the log
    10928,
    10929,
    17142,
    17147,
    17148,
    17809,
    17189, // no thread for a connection
    18401, // being upgraded
    40197,
    40501,
    40613,
    49918,
    49919,
    49920,
  ],
  changed: [
    207, // no such column
    208, // no such object
    213, // another number of columns
    3961, // changed since the snapshot
    4413, // views of missing objects
    16943, // changed since a procedure opened a cursor
    16946,
    4502,
    2801,
  ],
  "too-complex": [
    106,
    125,
    191, // nested too deep
    1702,
    8003, // too many parameters
    8622,
    8623, // no query plan
    8631,
    8632, // nested too deep
    8618,
    1791,
    4815,
    10738, // too many rows
  ],
};

/** The failure of each known number. */
export const NUMBERS: ReadonlyMap<number, Failure> = new Map(
  Object.entries(BY_FAILURE).flatMap(([failure, numbers]) =>
    numbers.map((number) => [number, failure as Failure] as const)
  ),
);
