-- Data that is hard to show: markup, addresses that run scripts, hidden characters, long texts, odd keys.
CREATE TABLE Odd (
  Id TEXT NOT NULL PRIMARY KEY,
  Name TEXT,
  Link TEXT,
  Note TEXT
);
INSERT INTO Odd VALUES
  ('a/b', '<script>alert(1)</script>', 'javascript:alert(1)', 'slash'),
  ('a.json', '<img src=x onerror=alert(1)>', 'https://example.com/?a=1&b="2"', 'ends like a format'),
  ('~x', '"><svg onload=alert(1)>', 'data:text/html,<script>alert(1)</script>', 'tilde'),
  ('%2F', '{{constructor.constructor("alert(1)")()}}', 'mailto:someone@example.com', 'percent'),
  ('', 'empty key', '', NULL),
  ('..', 'two dots', '//example.com', 'dots'),
  ('rtl', 'abc' || char(8238) || 'fed' || char(8203) || char(8288), ' javascript:alert(1)', 'direction'),
  ('long', 'long', NULL, (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20) SELECT group_concat(hex(randomblob(26214)), ' ') FROM c)),
  ('<null>', 'NULL in words', 'NULL', 'null');
CREATE TABLE "<b>Table" ("<i>Column" INTEGER PRIMARY KEY, "a&b" TEXT, "c""d" TEXT, "e'f" TEXT REFERENCES Odd (Id));
INSERT INTO "<b>Table" VALUES (1, '<u>', '"', 'a/b'), (2, NULL, '''', '');
CREATE TABLE Many (Id INTEGER PRIMARY KEY, Number INTEGER NOT NULL);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000) INSERT INTO Many SELECT n, n % 97 FROM c;
-- Numbers of many digits, which hardly repeat.
CREATE VIEW Points AS SELECT sin(Id) AS X, cos(Id) * 1e6 AS Y FROM Many;
CREATE TABLE Long (Id INTEGER PRIMARY KEY, "a name of a column that says in a lot of words what stands in it" TEXT,
  "amount_of_something_or_other_in_the_currency_of_the_country" INTEGER);
INSERT INTO Long VALUES (1, 'text', 7);
-- A key of several columns, with more records than a list of choices has.
CREATE TABLE Region (Country TEXT, Number INTEGER, Name TEXT NOT NULL, PRIMARY KEY (Country, Number));
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60)
  INSERT INTO Region SELECT CASE n % 2 WHEN 0 THEN 'A, 50%' ELSE 'NO' END, n, 'Part ' || n FROM c;
CREATE TABLE Visit (VisitId INTEGER PRIMARY KEY, Country TEXT, Region_Number INTEGER, Note TEXT,
  FOREIGN KEY (Country, Region_Number) REFERENCES Region);
INSERT INTO Visit VALUES (1, 'NO', 3, NULL);
