-- Everything that a write may meet. Every statement ends with a semicolon at the end of a line.

CREATE TABLE Maker (
  MakerId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL UNIQUE,
  Secret TEXT NOT NULL DEFAULT 'kept'             -- excluded by the configuration
);

-- A column of every type, a generated key, defaults, a computed column.
CREATE TABLE Item (
  ItemId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(20) NOT NULL,
  Code CHAR(6) UNIQUE,
  MakerId INTEGER REFERENCES Maker (MakerId),
  Note TEXT,
  Quantity INTEGER NOT NULL DEFAULT 1 CHECK (Quantity >= 0),
  Serial BIGINT,
  Price DECIMAL(10,2),
  Digits DECIMAL TEXT,                            -- keeps the digits of any number
  Ratio REAL,
  Active BOOLEAN NOT NULL DEFAULT 1,
  MadeOn DATE,
  SoldAt DATETIME,
  OpensAt TIME,
  Picture BLOB,
  Details JSON,
  Anything,
  Status VARCHAR(10) NOT NULL DEFAULT 'new',
  Doubled INTEGER GENERATED ALWAYS AS (Quantity * 2) STORED
);

-- Parts go with their item; spares keep it.
CREATE TABLE Part (
  PartId INTEGER NOT NULL PRIMARY KEY,
  ItemId INTEGER NOT NULL REFERENCES Item (ItemId) ON DELETE CASCADE,
  Name TEXT NOT NULL
);

CREATE TABLE Shelf (
  Room VARCHAR(20) NOT NULL,
  Place INTEGER NOT NULL,
  Label TEXT,
  PRIMARY KEY (Room, Place)
);

CREATE TABLE Box (
  BoxId INTEGER PRIMARY KEY AUTOINCREMENT,
  Room VARCHAR(20),
  Place INTEGER,
  Weight DECIMAL(8,3),
  FOREIGN KEY (Room, Place) REFERENCES Shelf (Room, Place)
);

-- The key is text; one tag is refused by a trigger.
CREATE TABLE Tag (
  Text VARCHAR(60) NOT NULL PRIMARY KEY,
  Meaning TEXT
);

CREATE TRIGGER TagReserved BEFORE INSERT ON Tag WHEN NEW.Text = 'reserved' BEGIN
  SELECT RAISE(ABORT, 'this tag is reserved'); END;

-- The database makes the key.
CREATE TABLE Token (
  TokenId TEXT NOT NULL PRIMARY KEY DEFAULT ('token ' || (abs(random()) % 1000)),
  Words TEXT
);

-- No key.
CREATE TABLE Journal (
  Words TEXT,
  Number INTEGER NOT NULL DEFAULT 7
);

-- Filled by triggers.
CREATE TABLE Change (
  What TEXT NOT NULL
);

CREATE TRIGGER ItemCreated AFTER INSERT ON Item BEGIN
  INSERT INTO Change VALUES ('created ' || NEW.Name); END;

CREATE TRIGGER ItemChanged AFTER UPDATE ON Item BEGIN
  INSERT INTO Change VALUES ('changed ' || NEW.Name); END;

CREATE TRIGGER ItemDeleted AFTER DELETE ON Item BEGIN
  INSERT INTO Change VALUES ('deleted ' || OLD.Name); END;

-- Refers to itself, and is checked only when everything is there.
CREATE TABLE Node (
  NodeId INTEGER NOT NULL PRIMARY KEY,
  Next INTEGER REFERENCES Node (NodeId) DEFERRABLE INITIALLY DEFERRED
);

-- Refers to itself, and is checked at once.
CREATE TABLE Person (
  PersonId INTEGER NOT NULL PRIMARY KEY,
  Name TEXT,
  BossId INTEGER REFERENCES Person (PersonId)
);

-- Three columns that are all required.
CREATE TABLE Address (
  AddressId INTEGER NOT NULL PRIMARY KEY,
  City VARCHAR(10) NOT NULL,
  PostalCode VARCHAR(10) NOT NULL,
  Floor INTEGER NOT NULL
);

-- A view that can be written, and one that cannot.
CREATE VIEW Catalogue AS SELECT ItemId, Name, Price FROM Item;

CREATE TRIGGER CatalogueCreate INSTEAD OF INSERT ON Catalogue BEGIN
  INSERT INTO Item (ItemId, Name, Price) VALUES (NEW.ItemId, NEW.Name, NEW.Price); END;

CREATE TRIGGER CatalogueChange INSTEAD OF UPDATE ON Catalogue BEGIN
  UPDATE Item SET Name = NEW.Name, Price = NEW.Price WHERE ItemId = OLD.ItemId; END;

CREATE TRIGGER CatalogueDelete INSTEAD OF DELETE ON Catalogue BEGIN
  DELETE FROM Item WHERE ItemId = OLD.ItemId; END;

CREATE VIEW Prices AS SELECT DISTINCT ItemId, Price FROM Item;

INSERT INTO Maker (MakerId, Name) VALUES (1, 'Hansen'), (2, 'Lund & Sons'), (3, 'Nobody''s');
INSERT INTO Item (ItemId, Name, Code, MakerId, Note, Quantity, Serial, Price, Digits, Ratio, Active, MadeOn, SoldAt, OpensAt, Picture, Details, Anything, Status) VALUES
  (1, 'Rope', 'R-1', 1, 'long', 5, 9007199254740993, 19.95, '12345678901234567890.123456789012345678', 0.5, 1, '2024-02-29', '2024-02-29 13:45:00', '08:30:00', x'00ff89', '{"a":[1,2]}', 5, 'old'),
  (2, 'Anchor', NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 'new'),
  (3, 'Lamp, "big" <&>', 'L-3', 1, '', 2, -9223372036854775808, 0.1, '-0.000000000000000001', -1.5e300, 1, '2023-12-31', '2023-12-31 23:59:59.5', '23:59:59', x'', '[]', 'text', 'new');
INSERT INTO Part VALUES (1, 1, 'Hook'), (2, 1, 'Eye'), (3, 3, 'Bulb');
INSERT INTO Shelf VALUES ('A/1', 1, 'top'), ('A/1', 2, NULL), ('', 0, 'nowhere');
INSERT INTO Box (Room, Place, Weight) VALUES ('A/1', 1, 1.25), ('A/1', 1, 2), (NULL, NULL, NULL);
INSERT INTO Tag VALUES ('plain', 'nothing special'), ('a/b', 'slash'), ('<null>', 'marker');
INSERT INTO Journal VALUES ('first', 1), (NULL, 2), ('first', 1);
INSERT INTO Node VALUES (1, 2), (2, 1), (3, NULL);
INSERT INTO Person VALUES (1, 'Ann', NULL), (2, 'Bob', 1);
INSERT INTO Address VALUES (1, 'Bergen', '5003', 2);
DELETE FROM Change;
