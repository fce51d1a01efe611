-- Awkward names and values. Every statement ends with a semicolon at the end of a line.

CREATE TABLE Number (
  Id INTEGER NOT NULL PRIMARY KEY,
  Big BIGINT,
  Exact DECIMAL(30,10),
  Digits DECIMAL TEXT,
  Float REAL,
  Flag BOOLEAN,
  Anything
);
INSERT INTO Number VALUES
  (1, 9223372036854775807, 1234567.25, '12345678901234567890.123456789012345678', 0.1, 1, 5),
  (2, -9223372036854775808, -0.5, '-0.000000000000000001', -1.5e300, 0, 5.5),
  (3, 9007199254740993, 10, '10.00', 1e21, NULL, '5'),
  (4, 0, NULL, NULL, 9e999, 1, 'text'),
  (5, NULL, 0.10, '0', -9e999, 0, NULL),
  (-7, -7, -7.25, '-7.250', -7.25, 1, x'00ff');

CREATE TABLE Moment (
  Id INTEGER NOT NULL PRIMARY KEY,
  OnDay DATE,
  At DATETIME,
  Stamp TIMESTAMP,
  Clock TIME
);
INSERT INTO Moment VALUES
  (1, '2024-02-29', '2024-02-29 13:45:00', '2024-02-29T13:45:00', '13:45:00'),
  (2, '2024-02-29 00:00:00', '2024-02-29', '2024-02-29 13:45', '13:45'),
  (3, '2023-12-31', '2023-12-31T23:59:59.500', '2023-12-31 23:59:59.5', '23:59:59'),
  (4, NULL, NULL, NULL, NULL),
  (5, '0001-01-01', '9999-12-31 23:59:59', 'not a date', '00:00:00');

CREATE TABLE Picture (
  Id INTEGER NOT NULL PRIMARY KEY,
  Bytes BLOB
);
INSERT INTO Picture VALUES (1, x''), (2, x'00'), (3, x'89504e470d0a1a0aff'), (4, NULL), (5, x'fbff');

-- The key is text that URLs have their troubles with.
CREATE TABLE Label (
  Text VARCHAR(60) NOT NULL PRIMARY KEY,
  Number INTEGER NOT NULL
);
INSERT INTO Label VALUES
  ('plain', 1), ('', 2), (' ', 3), ('two words', 4), ('a/b', 5), ('/', 6), ('a//b', 7), ('a.b', 8), ('.', 9),
  ('..', 10), ('1..3', 11), ('.json', 12), ('a.json', 13), ('a,b', 14), (',', 15), ('*', 16), ('a*', 17), ('~a', 18),
  ('<null>', 19), ('<NULL>', 20), ('%3Cnull%3E', 21), ('%', 22), ('%2F', 23), ('100%', 24), ('a__b', 25), ('__', 26),
  ('___', 27), ('_dot', 28), ('a_dotb', 29), ('_', 30), ('a_b', 31), ('[a]', 32), ('a?b', 33), ('a#b', 34), ('a&b', 35),
  ('a=b', 36), ('a+b', 37), ('a"b', 38), ('a''b', 39), ('a\b', 40), ('a;b', 41), ('a:b', 42), ('a|b', 43), ('{a}', 44),
  ('ä', 45), ('ß€', 46), ('日本', 47), ('😀', 48), ('true', 49), ('0', 50), ('-1', 51), ('1e3', 52), ('__dot', 53),
  ('a!b', 54), ('(a)', 55), ('^`', 56), ('<b>', 57), ('a' || char(10) || 'b', 58), ('a' || char(9) || 'b', 59),
  ('a' || char(13) || char(10) || 'b', 60), (char(127), 61), ('null', 62), ('...', 63), ('*,*', 64), ('A', 65), ('a', 66);

CREATE VIEW LabelView AS SELECT Number AS id, Text AS label, (Number % 2) + 1 AS owner FROM Label WHERE Number < 6;

-- Part of its key is text; each label belongs to it.
CREATE TABLE Shelf (
  Room VARCHAR(20) NOT NULL,
  Place INTEGER NOT NULL,
  Label VARCHAR(60) REFERENCES Label (Text),
  PRIMARY KEY (Room, Place)
);
INSERT INTO Shelf VALUES ('A/1', 1, 'a/b'), ('A/1', 2, NULL), ('<null>', 1, '..'), ('', 0, ''), ('x,y', -3, '1..3');

-- Refers to a composite key and shares its own; at most one per shelf.
CREATE TABLE Book (
  Room VARCHAR(20) NOT NULL,
  Place INTEGER NOT NULL,
  Title TEXT,
  PRIMARY KEY (Room, Place),
  FOREIGN KEY (Room, Place) REFERENCES Shelf (Room, Place)
) WITHOUT ROWID;
INSERT INTO Book VALUES ('A/1', 1, 'One & only'), ('x,y', -3, NULL);

CREATE TABLE Person (
  PersonId INTEGER NOT NULL PRIMARY KEY,
  Name TEXT,
  Secret TEXT
);
INSERT INTO Person VALUES (1, 'Ann', 'pw1'), (2, 'Bob', 'pw2'), (3, NULL, 'pw3');

-- One-to-one; the relation to it is named like a column of its own table.
CREATE TABLE Profile (
  PersonId INTEGER NOT NULL PRIMARY KEY REFERENCES Person (PersonId),
  Person TEXT,
  Bio TEXT
);
INSERT INTO Profile VALUES (1, 'about Ann', ''), (2, NULL, NULL);

-- Two foreign keys to one table.
CREATE TABLE Letter (
  LetterId INTEGER NOT NULL PRIMARY KEY,
  Sender INTEGER REFERENCES Person (PersonId),
  Receiver INTEGER REFERENCES Person (PersonId),
  Words TEXT NOT NULL
);
INSERT INTO Letter VALUES (1, 1, 2, 'hello'), (2, 2, 1, 'hi'), (3, 1, NULL, 'anyone?'), (4, NULL, 1, '');

CREATE TABLE Folder (
  FolderId INTEGER NOT NULL PRIMARY KEY,
  Inside INTEGER REFERENCES Folder (FolderId),
  Name TEXT NOT NULL
);
INSERT INTO Folder VALUES (1, NULL, 'root'), (2, 1, 'usr'), (3, 1, 'tmp'), (4, 2, 'bin');

-- No key.
CREATE TABLE Note (
  Words TEXT,
  Mood VARCHAR(10)
);
INSERT INTO Note VALUES ('same', NULL), ('same', NULL), ('', 'empty'), (NULL, ''), ('50%', 'a_b'), ('50 percent', 'axb');

-- Names that need quoting everywhere.
CREATE TABLE "order" (
  "select" INTEGER NOT NULL PRIMARY KEY,
  "from" TEXT,
  "a b" TEXT,
  "a.b" TEXT,
  "a/b" TEXT,
  "a,b" TEXT,
  "a""b" TEXT,
  "a'b" TEXT,
  "a__b" TEXT,
  "a_dotb" TEXT,
  "größe" TEXT,
  "<&>" TEXT,
  "*" TEXT,
  "~x" TEXT,
  "1st" TEXT,
  "limit" TEXT,
  "__proto__" TEXT,
  "constructor" TEXT
);
INSERT INTO "order" VALUES
  (1, 'f', 'space', 'dot', 'slash', 'comma', 'double', 'single', 'under', 'dots', 'umlaut', 'angle', 'star', 'tilde',
   'first', 'lim', 'proto', 'cons');

CREATE TABLE "AC/DC 1.0 – Größe" (
  "Key/1" VARCHAR(10) NOT NULL PRIMARY KEY,
  "Wert" TEXT
);
INSERT INTO "AC/DC 1.0 – Größe" VALUES ('k/1', 'Höhe');

CREATE TABLE "odd__name_dot" (
  Id INTEGER NOT NULL PRIMARY KEY,
  Wert TEXT
);
INSERT INTO "odd__name_dot" VALUES (1, 'literal');

-- Found by their exact names only.
CREATE TABLE Twin (
  Id INTEGER NOT NULL PRIMARY KEY,
  "constructor" TEXT
);
INSERT INTO Twin VALUES (1, 'c');

CREATE TABLE Empty (
  Id INTEGER NOT NULL PRIMARY KEY,
  Name TEXT
);

CREATE TABLE secret_plan (
  Id INTEGER NOT NULL PRIMARY KEY,
  Words TEXT
);
INSERT INTO secret_plan VALUES (1, 'hidden');
