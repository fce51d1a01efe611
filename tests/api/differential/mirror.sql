-- A small database with values that hurt: the same on every engine. Every statement ends with a semicolon at the end of a line.
-- New records are counted from numbers that are far from all others, so that their keys can be told from values.

CREATE TABLE Person (
  PersonId INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  Name VARCHAR(40),
  Boss INTEGER REFERENCES Person (PersonId),
  Born DATE
);
INSERT INTO Person VALUES
  (1, 'ann', NULL, '1970-01-01'), (2, 'bob', 1, '0001-01-01'), (3, '', 1, NULL), (4, NULL, 2, '9999-12-31'),
  (5, 'ann', 5, '2024-02-29'), (7000001, 'zoë', 2, '1969-12-31');

-- A column of every type. Long texts differ at their beginning: MySQL sorts by that.
CREATE TABLE Thing (
  ThingId INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  Word VARCHAR(60),
  Story TEXT,
  Size INTEGER,
  Price DECIMAL(14,2),
  Ratio REAL,
  Active BOOLEAN,
  Made DATE,
  Seen DATETIME,
  Clock TIME,
  Picture BLOB,
  Maker INTEGER REFERENCES Person (PersonId),
  Keeper INTEGER REFERENCES Person (PersonId)
);
INSERT INTO Thing VALUES
  (-7, 'a', 'x', 9223372036854775807, 0.01, 0.1, 1, '2024-02-29', '2024-02-29 13:45:00', '13:45:00', x'00ff89', 1, 2),
  (0, '', '', -9223372036854775808, -0.01, -0.1, 0, '1969-12-31', '1969-12-31 23:59:59.999999', '00:00:00', x'', 2, 2),
  (1, ' ', ' ', 0, 999999999999.99, 1e300, NULL, '1970-01-01', '1970-01-01 00:00:00', '23:59:59', x'00', NULL, 1),
  (2, 'a ', 'a' || char(10) || 'b', 9007199254740993, -999999999999.99, -1e-300, 1, '0001-01-01', '0001-01-01 00:00:00', '00:00:01', x'fbff', 1, NULL),
  (3, ' a', 'a' || char(13) || char(10) || 'b', -1, 19.95, 2.5, 0, '9999-12-31', '9999-12-31 23:59:59.999999', '12:00:00', NULL, 7000001, 7000001),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (5, 'a%b', 'b' || hex(zeroblob(1200)), 1, 0.25, 1.7976931348623157e308, 1, '2024-03-10', '2024-03-10 02:30:00.5', '02:30:00', x'ff', 3, 3),
  (6, 'axb', 'a' || hex(zeroblob(1200)), 2147483648, 1234567.89, 5e-324, 0, '2000-02-29', '2000-02-29 00:00:00.000001', '00:00:00', x'0a0d', 3, 1),
  (7, 'a', '日本', 42, 42.42, 42, 1, '2024-02-29', '2024-02-29 00:00:00', '13:45:00', x'00', 5, 4),
  (8, '😀', 'b😀', 42, 42.42, 42, 1, '2024-02-29', '2024-02-29 13:45:00', '13:45:00', x'00ff89', 1, 2),
  (9, 'null', '<null>', -42, -42.42, -42.5, NULL, '1582-10-10', '1900-02-28 23:59:59', '05:07:09', x'7f', 4, 5),
  (8000001, 'zz', 'tail', 3, 3.03, 3.5, 0, '2038-01-19', '2038-01-19 03:14:08', '23:00:00', x'80', 1, 1);

-- The key is text that URLs and patterns have their troubles with. ASCII letters are small: what LIKE makes of them differs.
CREATE TABLE Label (
  Text VARCHAR(60) NOT NULL PRIMARY KEY,
  Rank INTEGER NOT NULL DEFAULT 7,
  Twin VARCHAR(60)
);
INSERT INTO Label VALUES
  ('plain', 1, ''), ('', 2, NULL), ('two words', 3, ' x'), (' lead', 4, 'x '), ('trail ', 5, 'x'), ('a/b', 6, 'a//b'),
  ('/', 7, '.'), ('a.b', 8, '.json'), ('..', 9, '...'), ('1..3', 10, 'a..b'), (',', 11, 'a,b'), ('*', 12, 'a*'),
  ('~a', 13, '~'), ('<null>', 14, 'null'), ('%', 15, '%2f'), ('a%b', 16, '100%'), ('_', 17, 'a_b'), ('axb', 18, 'a__b'),
  ('[a]', 19, '['), (']', 20, '[^a]'), ('\', 21, 'a\b'), ('\%', 22, '\_'), ('!', 23, 'a!b'), ('!%', 24, '!_'),
  ('a''b', 25, ''''), ('a"b', 26, '"'), ('a`b', 27, '`'), ('a?b', 28, 'a#b'), ('a&b', 29, 'a=b'), ('a+b', 30, 'a;b'),
  ('a:b', 31, 'a|b'), ('{a}', 32, '(a)'), ('<b>&amp;', 33, ']]>'), ('é', 34, 'e' || char(769)), ('ä', 35, 'ß'), ('日本', 36, '本'),
  ('😀', 37, 'a😀b'), (char(57344), 38, char(65532)), ('true', 39, 'false'), ('0', 40, '-1'), ('1e3', 41, '007'), ('2024-02-29', 42, '13:45'),
  ('a' || char(10) || 'b', 43, char(9)), (char(127), 44, 'a' || char(13) || 'b'), ('__', 45, '_dot'), ('a__b', 46, 'a_dotb'),
  ('constructor', 47, '__proto__'), ('ab', 48, 'a' || char(8203) || 'b'), ('a b', 49, 'a' || char(160) || 'b'),
  ('0123456789012345678901234567890123456789', 50, 'ﬁ');

CREATE TABLE ThingLabel (
  ThingId INTEGER NOT NULL REFERENCES Thing (ThingId) ON DELETE CASCADE,
  Text VARCHAR(60) NOT NULL REFERENCES Label (Text),
  Weight DECIMAL(8,3),
  PRIMARY KEY (ThingId, Text)
);
INSERT INTO ThingLabel VALUES
  (-7, 'a/b', 1.001), (-7, '', NULL), (0, '', 0.125), (0, '..', -0.001), (1, '😀', 99999.999), (2, '<null>', 1.001),
  (2, 'a/b', 2.002), (3, '%', NULL), (8000001, 'plain', 0.125), (8000001, '日本', 0.375);

-- Case: nothing but wildcards differs.
CREATE TABLE Cased (
  Name VARCHAR(20) NOT NULL PRIMARY KEY,
  Other TEXT
);
INSERT INTO Cased VALUES ('a', 'A'), ('A', 'a'), ('straße', 'STRASSE'), ('Ä', 'ä'), ('ı', 'I'), ('B', NULL);

CREATE TABLE Shelf (
  Room VARCHAR(20) NOT NULL,
  Place INTEGER NOT NULL,
  Height REAL,
  PRIMARY KEY (Room, Place)
);
INSERT INTO Shelf VALUES ('a/1', 1, 0.5), ('a/1', 2, NULL), ('', 0, 2.25), ('x,y', -3, 0.5), ('<null>', 1, 1e21);

-- Refers to a composite key, or to nothing, or to half of it.
CREATE TABLE Box (
  BoxId INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  Room VARCHAR(20),
  Place INTEGER,
  Content VARCHAR(60) REFERENCES Label (Text),
  Number INTEGER NOT NULL UNIQUE,
  FOREIGN KEY (Room, Place) REFERENCES Shelf (Room, Place)
);
INSERT INTO Box VALUES
  (1, 'a/1', 1, 'a/b', 10), (2, 'a/1', 1, NULL, 20), (3, NULL, NULL, '', 30), (4, 'a/1', NULL, 'plain', 40),
  (5, NULL, 0, '😀', 50), (6, '', 0, '..', 60), (9000001, 'x,y', -3, 'a/b', 70);

-- No key.
CREATE TABLE Note (
  Words TEXT,
  Mood VARCHAR(10),
  Number INTEGER,
  Sure BOOLEAN
);
INSERT INTO Note VALUES
  ('same', NULL, 1, 1), ('same', NULL, 1, 1), ('', 'empty', 0, 0), (NULL, '', NULL, NULL), (NULL, '', NULL, NULL),
  ('same', 'x', 1, 1), ('tail ', 'x', -1, 0), ('tail', 'x ', -1, 0);

-- Names that need quoting everywhere.
CREATE TABLE "a.b/c, d" (
  "select" BIGINT NOT NULL PRIMARY KEY,
  "x,y" VARCHAR(10),
  "~z" VARCHAR(10),
  "*" INTEGER,
  "a__b" VARCHAR(10),
  "größe" REAL,
  "it's ""so""" VARCHAR(10),
  "1st" DATE
);
INSERT INTO "a.b/c, d" VALUES (1, 'comma', 'tilde', 3, 'under', 0.5, 'quote', '2024-02-29'), (2, NULL, '', -3, 'a/b', NULL, NULL, NULL);

CREATE TABLE Empty (
  Code VARCHAR(10) NOT NULL PRIMARY KEY,
  Word VARCHAR(10) NOT NULL DEFAULT 'new'
);

CREATE TABLE Paper (
  Code VARCHAR(10) NOT NULL PRIMARY KEY,
  Details JSON,
  Pages INTEGER
);
INSERT INTO Paper VALUES
  ('a', '{"a": 1}', 1), ('b', '[]', 2), ('c', 'null', 3), ('d', '"text"', NULL), ('e', NULL, 5), ('f', '{"b": [1, 2.5, "x%"]}', 5),
  ('g', '[12345678901234567890]', 5), ('h', '[]', 2), ('i', '""', 9);

CREATE VIEW Heavy AS SELECT ThingId AS Id, Word AS Title, Price AS Cost, Maker AS Who FROM Thing WHERE Size > 0;

CREATE VIEW Mood AS SELECT Words, Number FROM Note WHERE Number IS NOT NULL;
