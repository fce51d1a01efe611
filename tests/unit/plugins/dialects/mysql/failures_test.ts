import assert from "node:assert/strict";
import type { Failure } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { classify, connectFailure, explain, refusedParameter } from "@/plugins/dialects/mysql/failures.ts";
import { reasonOf } from "@/tests/support/reason_of.ts";
import { until } from "@/tests/support/until.ts";
import { testOnServer } from "./fixture.ts";
import { change, rowsOf, textOf } from "./statements.ts";

/** An error as the driver creates it from a server's message. */
function serverError(errno: number, message: string, sqlState = "HY000"): Error {
  return Object.assign(new Error(message), { errno, sqlState, code: "ER_SOMETHING" });
}

const REFUSED: readonly (readonly [message: string, sql: string, index: number | undefined])[] = [
  ["Data truncated for column 'b' at row 3", "insert into `t` (`a`, `b`) values (?, ?), (?, ?), (?, ?)", 5],
  [
    "Incorrect uuid value: '{' for column `d`.`t`.`a` at row 2",
    "insert into `d`.`t` (`a`, `b`) values (?, ?), (?, ?)",
    2,
  ],
  ["Data too long for column 'a' at row 1", "insert into `t` (`a`) values (?) returning `id`", 0],
  ["Data too long for column 'other' at row 1", "insert into `t` (`a`) values (?)", undefined],
  ["Data too long for column 'a' at row 1", "update `t` set `a` = ?", 0],
  [
    "Out of range value for column 'b' at row 3",
    "update `d`.`t` set `a` = ?, `b` = ? where (`t`.`b` = ?)",
    1,
  ],
  ["Data too long for column 'c' at row 1", "update `t` set `a` = ? where (`t`.`c` = ?)", undefined],
  ["Incorrect value for column 'a'", "insert into `t` (`a`) values (?)", undefined],
];

Deno.test("the parameter of an INSERT or UPDATE that a refusal is about", () => {
  for (const [message, sql, index] of REFUSED) {
    assert.equal(refusedParameter(Object.assign(serverError(1265, message), { sql })), index, message);
  }
});

const NUMBERS: readonly (readonly [number, Failure])[] = [
  [1048, "integrity"],
  [1062, "integrity"],
  [1216, "integrity"],
  [1217, "integrity"],
  [1364, "integrity"],
  [1423, "integrity"],
  [1451, "integrity"],
  [1452, "integrity"],
  [3819, "integrity"],
  [4025, "integrity"],
  [1643, "integrity"],
  [1644, "integrity"],
  [1139, "invalid"],
  [1242, "invalid"],
  [1321, "invalid"],
  [3685, "invalid"],
  [3699, "invalid"],
  [1264, "invalid"],
  [1265, "invalid"],
  [1267, "invalid"],
  [1292, "invalid"],
  [1366, "invalid"],
  [1406, "invalid"],
  [1442, "invalid"],
  [3140, "invalid"],
  [3150, "invalid"],
  [3157, "invalid"],
  [3158, "invalid"],
  [4076, "invalid"],
  [1036, "read-only"],
  [1290, "read-only"],
  [1792, "read-only"],
  [1836, "read-only"],
  [1044, "permission"],
  [1142, "permission"],
  [1143, "permission"],
  [1370, "permission"],
  [1205, "contention"],
  [1213, "contention"],
  [1020, "contention"],
  [1412, "contention"],
  [1317, "timeout"],
  [1969, "timeout"],
  [3024, "timeout"],
  [3, "storage"],
  [29, "storage"],
  [1026, "storage"],
  [1194, "storage"],
  [1017, "storage"],
  [1032, "storage"],
  [1814, "storage"],
  [1040, "unavailable"],
  [1047, "unavailable"],
  [1053, "unavailable"],
  [1203, "unavailable"],
  [1226, "unavailable"],
  [1927, "unavailable"],
  [2006, "unavailable"],
  [2013, "unavailable"],
  [1049, "changed"],
  [1054, "changed"],
  [1060, "invalid"],
  [1146, "changed"],
  [1356, "changed"],
  [1153, "invalid"],
  [1390, "too-complex"],
];

for (const [number, failure] of NUMBERS) {
  Deno.test(`mysql: error ${number} is ${failure}`, () => {
    assert.equal(classify(serverError(number, "x")), failure);
  });
}

Deno.test("mysql: a lost connection is known by the driver's codes", () => {
  const codes = ["PROTOCOL_CONNECTION_LOST", "ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND"];
  for (const code of codes) {
    assert.equal(classify(Object.assign(new Error("x"), { code })), "unavailable", code);
  }
  assert.equal(classify(Object.assign(new Error("closed state"), { fatal: true })), "unavailable");
});

Deno.test("mysql: what a trigger raises is its rule, whatever its number", () => {
  for (const number of [1062, 1146, 1644, 30_001]) {
    const error = serverError(number, "Too heavy", "45000");
    assert.deepEqual([classify(error), explain(error, [])], ["integrity", "Too heavy"], String(number));
  }
});

Deno.test("mysql: errors that are none of the server's are not known", () => {
  const errors = [
    new TypeError("x"),
    undefined,
    null,
    "x",
    serverError(1, "x", ""),
    Object.assign(new Error(), { code: 5 }),
  ];
  for (const error of errors) assert.equal(classify(error), undefined);
});

Deno.test("mysql: the same number may refuse a login or a statement", () => {
  assert.equal(connectFailure(serverError(1044, "Access denied")).failure, "login");
  for (const number of [1045, 1698, 1130, 3118, 1862]) {
    assert.equal(connectFailure(serverError(number, "x")).failure, "login", String(number));
  }
  for (const number of [1040, 1049, 1203]) {
    assert.equal(connectFailure(serverError(number, "x")).failure, "unavailable", String(number));
  }
  assert.equal(connectFailure("no error").failure, "unavailable");
  const clear = connectFailure(
    new Error("Server requested authentication using mysql_clear_password, which …"),
  );
  assert.deepEqual([clear.failure, clear.message.slice(0, 53)], [
    "login",
    "Cannot connect: the login uses mysql_clear_password; ",
  ]);
});

const CHILD = "Cannot add or update a child row: a foreign key constraint fails";
const PARENT = "Cannot delete or update a parent row: a foreign key constraint fails";

/** Messages of the servers, and those for the caller. */
const WORDS: Readonly<Record<string, readonly [number, string, string]>> = {
  "a duplicate on MariaDB": [
    1062,
    "Duplicate entry 's3cret-x' for key 'code'",
    "Duplicate entry for key 'code'",
  ],
  "a duplicate on MySQL": [
    1062,
    "Duplicate entry 's3cret-x' for key 'owner.PRIMARY'",
    "Duplicate entry for key 'PRIMARY'",
  ],
  "a duplicate with quotes and line breaks": [
    1586,
    "Duplicate entry 'it's\n for key 'x'' for key 'k'",
    "Duplicate entry for key 'k'",
  ],
  "a duplicate that is told otherwise": [1062, "Duplicate entry s3cret", "Duplicate entry"],
  "a missing parent": [
    1452,
    `${CHILD} (\`shop\`.\`pet\`, CONSTRAINT \`pet_ibfk_1\` FOREIGN KEY (\`owner_id\`) REFERENCES \`owner\` (\`id\`))`,
    `${CHILD}: pet.owner_id references owner.id`,
  ],
  "a key of several columns in another database": [
    1451,
    `${PARENT} (\`shop\`.\`box\`, CONSTRAINT \`c\` FOREIGN KEY (\`a\`, \`b\`\`c\`) REFERENCES \`x\`.\`shelf\` (\`d\`, \`e\`) ON DELETE RESTRICT)`,
    `${PARENT}: box.a, box.b\`c references shelf.d, shelf.e`,
  ],
  "a parent that the login may not see": [1217, PARENT, PARENT],
  "a child in a database that is not served": [
    1451,
    `${PARENT} (\`hr\`.\`salary\`, CONSTRAINT \`c\` FOREIGN KEY (\`owner\`) REFERENCES \`shop\`.\`person\` (\`id\`))`,
    PARENT,
  ],
  "a parent in a database that is not served": [
    1452,
    `${CHILD} (\`shop\`.\`pet\`, CONSTRAINT \`c\` FOREIGN KEY (\`boss\`) REFERENCES \`hr\`.\`boss\` (\`id\`))`,
    CHILD,
  ],
  "NULL in a table that a trigger writes": [
    1048,
    "Column 'salary' cannot be null",
    "A column that must not be NULL has no value",
  ],
  "a check on MariaDB": [
    4025,
    "CONSTRAINT `positive` failed for `shop`.`item`",
    "CONSTRAINT `positive` failed",
  ],
  "a check on MySQL": [
    3819,
    "Check constraint 'positive' is violated.",
    "Check constraint 'positive' is violated.",
  ],
  "a view's own rule on MySQL": [
    1369,
    "CHECK OPTION failed 'shop.positive'",
    "The view's CHECK OPTION failed",
  ],
  "a view's own rule on MariaDB": [
    1369,
    "CHECK OPTION failed `shop`.`positive`",
    "The view's CHECK OPTION failed",
  ],
  "a column that a view lacks": [
    1423,
    "Field of view 'shop.names' underlying table doesn't have a default value",
    "A column that the view does not have needs a value",
  ],
  "a cascade that ends in a duplicate": [
    1761,
    "Foreign key constraint for table 'shop.owner', record 's3cret' would lead to a duplicate entry in table 'pet', key 'k'",
    "The change would lead to a duplicate entry in a table that refers to this one",
  ],
  "a character that a column's encoding lacks on MySQL": [
    3988,
    "Conversion from collation utf8mb4_general_ci into latin1_swedish_ci impossible for parameter",
    "A value has characters that the column's encoding lacks",
  ],
  "a value with the column's whole path": [
    1366,
    "Incorrect string value: '\\xF0' for column `shop`.`t`.`plain` at row 1",
    "It has characters that are not in the encoding of column 'plain'",
  ],
  "a value that is no member of an enum": [
    1265,
    "Data truncated for column 'kind' at row 1",
    "It would be cut, or is none of the values of column 'kind'",
  ],
  "text that is too long": [
    1406,
    "Data too long for column 'short' at row 12",
    "Data too long for column 'short'",
  ],
  "a character that a column's encoding lacks": [
    1267,
    "Illegal mix of collations (latin1_swedish_ci,IMPLICIT) and (utf8mb4_general_ci,COERCIBLE) for operation '='",
    "A value has characters that the column's encoding lacks",
  ],
  "values that are larger than a packet": [
    1153,
    "Got a packet bigger than 'max_allowed_packet' bytes",
    "One statement has more than the server takes (max_allowed_packet): send fewer or smaller values",
  ],
  "SQL that is none": [
    1064,
    "You have an error in your SQL syntax near 'password = s3cret'",
    "The statement is no SQL that this server understands",
  ],
};

for (const [title, [number, words, told]] of Object.entries(WORDS)) {
  Deno.test(`mysql: a caller is told no more than that: ${title}`, () => {
    assert.equal(explain(serverError(number, words), ["shop", "x"]), told);
  });
}

/** Failing statements with the failure on a real server. */
const STATEMENTS: Readonly<Record<string, readonly [string, Failure]>> = {
  "a duplicate": ["INSERT INTO t VALUES (1, 'x', 1)", "integrity"],
  "a foreign key": ["INSERT INTO t VALUES (2, 'x', 99)", "integrity"],
  "a check": ["INSERT INTO t VALUES (2, 'x', -1)", "integrity"],
  "a missing value": ["INSERT INTO t (id) VALUES (2)", "integrity"],
  "a view with a check option": ["INSERT INTO positive VALUES (2, 'x', NULL)", "integrity"],
  "a trigger": ["INSERT INTO t VALUES (2, 'heavy', 1)", "integrity"],
  "a rule with a state of its own": ["INSERT INTO t VALUES (2, 'light', 1)", "integrity"],
  "a subquery with several rows": ["UPDATE t SET id = (SELECT id FROM p)", "invalid"],
  "a regular expression that is none": ["UPDATE t SET id = (name REGEXP '(')", "invalid"],
  "a function that gives nothing": ["UPDATE t SET id = nothing()", "invalid"],
  "a view that is no table": ["INSERT INTO summed VALUES (2)", "permission"],
  "a table that is not there": ["INSERT INTO missing VALUES (2)", "changed"],
  "a column that is not there": ["UPDATE t SET missing = 1", "changed"],
  "a function that is not there": ["UPDATE t SET name = missing()", "changed"],
  "a division by zero": ["UPDATE t SET id = id / 0", "invalid"],
  "a number out of range": ["UPDATE t SET id = 99999999999", "invalid"],
  "a statement that is none": ["UPDATE t SET", "invalid"],
};

const TABLES = `CREATE TABLE p (id INT PRIMARY KEY); INSERT INTO p VALUES (-1), (1);
  CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9) NOT NULL, p INT CHECK (p > 0), FOREIGN KEY (p) REFERENCES p (id));
  INSERT INTO t VALUES (1, 'x', 1); CREATE VIEW positive AS SELECT * FROM t WHERE p > 0 WITH CHECK OPTION;
  CREATE VIEW summed AS SELECT count(*) AS n FROM t;`;

const TRIGGER = `DELIMITER //
  CREATE TRIGGER heavy BEFORE INSERT ON t FOR EACH ROW
    IF NEW.name = 'heavy' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Too heavy', MYSQL_ERRNO = 31000;
    ELSEIF NEW.name = 'light' THEN SIGNAL SQLSTATE 'ZZ001' SET MESSAGE_TEXT = 'Too light'; END IF//
  CREATE FUNCTION nothing() RETURNS INT DETERMINISTIC BEGIN IF 1 = 0 THEN RETURN 1; END IF; END//`;

testOnServer("mysql: what a server refuses is known, and told without the database's name", async (place) => {
  await place.exec(`${TABLES}\n${TRIGGER}`);
  const database = await place.connect();
  for (const [title, [sql, failure]] of Object.entries(STATEMENTS)) {
    const error = await reasonOf(change(database, sql));
    assert.equal(database.classify(error), failure, `${title}: ${String(error)}`);
    if (failure !== "integrity" && failure !== "invalid") continue;
    assert.doesNotMatch(database.explain(error), new RegExp(`${place.name}|${place.server.user}@`), title);
  }
});

testOnServer("mysql: a read whose table is altered under it can be repeated", async (place) => {
  await place.exec("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1);");
  const database = await place.connect();
  const run = (sql: string) => ({ prepared: database.prepare(textOf(sql, ["integer"])), parameters: [] });
  const read = async () => {
    return await database.read([run("SELECT sleep(3)"), run("SELECT id FROM t")], { signal: NEVER });
  };
  let isOver = false;
  const reading = reasonOf(read().finally(() => isOver = true));
  const sleeping = `SELECT count(*) FROM information_schema.processlist
    WHERE db = '${place.name}' AND state = 'User sleep';`;
  await until(async () => isOver || await place.exec(sleeping) !== "0\n");
  await place.exec("ALTER TABLE t ADD COLUMN more INT, ALGORITHM = COPY;");
  assert.equal(database.classify(await reading), "contention");
  assert.deepEqual(await rowsOf(database, "SELECT id FROM t", ["integer"]), [[1]]);
});

testOnServer("mysql: a filter whose characters the column's encoding lacks is invalid", async (place) => {
  await place.exec("CREATE TABLE narrow (plain VARCHAR(9) CHARACTER SET latin1);");
  const database = await place.connect();
  const prepared = database.prepare({ sql: "SELECT 1 FROM narrow WHERE plain = ?", columns: [] });
  const reading = async () => await database.read([{ prepared, parameters: ["🎈"] }], { signal: NEVER });
  assert.equal(database.classify(await reasonOf(reading())), "invalid");
});

testOnServer(
  "mysql: a body that is larger than the server takes is invalid, and the next statement works",
  async (place) => {
    const database = await place.connect();
    const [[size] = []] = await rowsOf(database, "SELECT @@max_allowed_packet", ["integer"]);
    const error = await reasonOf(change(database, "DO length(?)", ["x".repeat(Number(size) + 10)]));
    assert.match(String(database.classify(error)), /invalid|unavailable/);
    assert.deepEqual(await rowsOf(database, "SELECT 1", ["integer"]), [[1]]);
  },
);
