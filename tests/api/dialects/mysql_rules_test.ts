/** @module Rules that views and triggers of MySQL and MariaDB add to their tables. */

import assert from "node:assert/strict";
import { testOn, whyNot } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { shared, startService } from "@/tests/support/service.ts";

const SCRIPT = `
CREATE TABLE crate (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, weight INT NOT NULL);
CREATE TABLE chest (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, weight INT NOT NULL);
CREATE VIEW names AS SELECT id, name FROM chest;
CREATE TABLE shelf (id INT PRIMARY KEY, room INT);
INSERT INTO shelf VALUES (1, 5);
CREATE TABLE parcel (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), size INT);
CREATE TABLE arrival (id INT AUTO_INCREMENT PRIMARY KEY, parcel BIGINT UNSIGNED);
INSERT INTO arrival VALUES (70, 1);
CREATE TABLE berth (id INT PRIMARY KEY, name VARCHAR(20), seen DATETIME NULL ON UPDATE CURRENT_TIMESTAMP);
INSERT INTO berth (id, name) VALUES (1, 'Oslo');
CREATE TABLE secret (word VARCHAR(20));
INSERT INTO secret VALUES ('hush');
CREATE TABLE visit (id INT PRIMARY KEY, day DATE);
INSERT INTO visit VALUES (1, NULL);
DELIMITER //
CREATE TRIGGER visit_made BEFORE INSERT ON visit FOR EACH ROW SET NEW.day = (SELECT word FROM secret) //
CREATE TRIGGER visit_moved BEFORE UPDATE ON visit FOR EACH ROW SET NEW.day = (SELECT word FROM secret) //
CREATE TRIGGER crate_heavy BEFORE INSERT ON crate FOR EACH ROW BEGIN
  IF NEW.weight > 100 THEN
    SIGNAL SQLSTATE '02000' SET MESSAGE_TEXT = 'too heavy';
  END IF;
  IF NEW.weight < 0 THEN
    SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1146, MESSAGE_TEXT = 'too light';
  END IF;
END //
CREATE TRIGGER shelf_room AFTER UPDATE ON shelf FOR EACH ROW UPDATE shelf SET room = 0 //
CREATE TRIGGER parcel_number BEFORE INSERT ON parcel FOR EACH ROW SET NEW.id =
  CASE WHEN NEW.size > 0 THEN 9007199254740000 + NEW.size ELSE NEW.id END //
CREATE TRIGGER parcel_arrival AFTER INSERT ON parcel FOR EACH ROW
  INSERT INTO arrival (parcel) VALUES (NEW.id) //
DELIMITER ;
`;

const service = shared(() => {
  return serveOn("mysql", { id: "Port", made: () => SCRIPT }, startService);
}, whyNot("mysql"));

const REFUSED = {
  "a record of a view without a column that needs a value": [
    "POST names.json",
    { id: 2, name: "salt" },
    409,
    "The database refuses this: A column that the view does not have needs a value",
  ],
  "a rule that a trigger raises as a missing row": [
    "POST crate.json",
    { id: 2, name: "lead", weight: 101 },
    409,
    "The database refuses this: too heavy",
  ],
  "a rule that a trigger raises under another error's number": [
    "POST crate.json",
    { id: 2, name: "air", weight: -1 },
    409,
    "The database refuses this: too light",
  ],
  "a trigger that changes its own table": [
    "PUT shelf/id/1.json",
    { room: 6 },
    400,
    "The database cannot take this: Can't update table 'shelf' in stored function/trigger because it is already " +
    "used by statement which invoked this stored function/trigger",
  ],
  "a value that a trigger gives a new record": [
    "POST visit.json",
    { id: 2, day: "2024-01-01" },
    400,
    "The database cannot take this: Incorrect date value: '...' for column 'day'",
  ],
  "a value that a trigger gives a changed record": [
    "PUT visit/id/1.json",
    { day: "2024-01-01" },
    400,
    `Could not parse JSON: The "day": error at node '/0/day': Incorrect date value: '...' for column 'day'`,
  ],
} as const;

for (const [name, [line, record, status, description]] of Object.entries(REFUSED)) {
  testOn("mysql", `${name} is refused with its words`, async () => {
    const [method = "", path = ""] = line.split(" ");
    const headers = { "Content-Type": "application/json" };
    const answer = await service().fetch(`/db/Port/${path}`, {
      method,
      headers,
      body: JSON.stringify(record),
    });
    assert.deepEqual([answer.status, (await answer.json()).description], [status, description]);
  });
}

testOn("mysql", "a new record has its key, whichever way it got it", async () => {
  const create = async (body: unknown) => {
    const headers = { "Content-Type": "application/json" };
    const init = { method: "POST", body: JSON.stringify(body), headers };
    const answer = await service().fetch("/db/Port/parcel.json", init);
    return [answer.status, answer.headers.get("location")?.replace(/^.*\/id\//, "")];
  };
  assert.deepEqual(await create({ name: "counted" }), [201, "1.json"]);
  assert.deepEqual(await create({ id: 40, name: "given" }), [201, "40.json"]);
  assert.deepEqual(await create({ name: "by the trigger", size: 999 }), [201, "9007199254740999.json"]);
  assert.equal((await create({ id: "9223372036854775807", name: "given" }))[0], 201);
  assert.deepEqual(await create({ name: "counted" }), [201, "9223372036854775808.json"]);
});

testOn("mysql", "a NULL that a body repeats stays where each update sets a time", async () => {
  const headers = { "Content-Type": "text/csv" };
  const put = { method: "PUT", body: "id,name,seen\n1,Rom,\n", headers };
  const changed = await service().fetch("/db/Port/berth/id/1.csv", put);
  assert.equal(changed.status, 204, await changed.text());
  const shown = await service().fetch("/db/Port/berth/id/1.csv");
  assert.equal(await shown.text(), "id,name,seen\r\n1,Rom,\r\n");
});
