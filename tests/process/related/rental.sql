-- Film rental as the well-known sample databases have it: many-to-many, shared records, and two ways from a film to a
-- language. Few records are read, and very many are printed, because each stands below all of its parents. Every statement ends
-- with a semicolon at the end of a line.

CREATE TABLE Language (
  LanguageId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(20) NOT NULL
);

CREATE TABLE Category (
  CategoryId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(20) NOT NULL
);

CREATE TABLE Actor (
  ActorId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL
);

CREATE TABLE Film (
  FilmId INTEGER NOT NULL PRIMARY KEY,
  Title VARCHAR(60) NOT NULL,
  LanguageId INTEGER NOT NULL REFERENCES Language (LanguageId),
  OriginalLanguageId INTEGER REFERENCES Language (LanguageId)
);

CREATE TABLE FilmActor (
  ActorId INTEGER NOT NULL REFERENCES Actor (ActorId),
  FilmId INTEGER NOT NULL REFERENCES Film (FilmId),
  PRIMARY KEY (ActorId, FilmId)
);

CREATE TABLE FilmCategory (
  FilmId INTEGER NOT NULL REFERENCES Film (FilmId),
  CategoryId INTEGER NOT NULL REFERENCES Category (CategoryId),
  PRIMARY KEY (FilmId, CategoryId)
);

CREATE TABLE City (
  CityId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL
);

CREATE TABLE Address (
  AddressId INTEGER NOT NULL PRIMARY KEY,
  Street VARCHAR(40) NOT NULL,
  CityId INTEGER NOT NULL REFERENCES City (CityId)
);

CREATE TABLE Store (
  StoreId INTEGER NOT NULL PRIMARY KEY,
  AddressId INTEGER NOT NULL REFERENCES Address (AddressId)
);

CREATE TABLE Staff (
  StaffId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL,
  AddressId INTEGER NOT NULL REFERENCES Address (AddressId),
  StoreId INTEGER NOT NULL REFERENCES Store (StoreId)
);

CREATE TABLE Customer (
  CustomerId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL,
  AddressId INTEGER NOT NULL REFERENCES Address (AddressId),
  StoreId INTEGER NOT NULL REFERENCES Store (StoreId)
);

CREATE TABLE Inventory (
  InventoryId INTEGER NOT NULL PRIMARY KEY,
  FilmId INTEGER NOT NULL REFERENCES Film (FilmId),
  StoreId INTEGER NOT NULL REFERENCES Store (StoreId)
);

CREATE TABLE Rental (
  RentalId INTEGER NOT NULL PRIMARY KEY,
  RentedAt DATETIME NOT NULL,
  InventoryId INTEGER NOT NULL REFERENCES Inventory (InventoryId),
  CustomerId INTEGER NOT NULL REFERENCES Customer (CustomerId),
  StaffId INTEGER NOT NULL REFERENCES Staff (StaffId)
);

CREATE TABLE Payment (
  PaymentId INTEGER NOT NULL PRIMARY KEY,
  Amount DECIMAL(5,2) NOT NULL,
  CustomerId INTEGER NOT NULL REFERENCES Customer (CustomerId),
  StaffId INTEGER NOT NULL REFERENCES Staff (StaffId),
  RentalId INTEGER NOT NULL REFERENCES Rental (RentalId)
);

CREATE INDEX FilmOfLanguage ON Film (LanguageId);
CREATE INDEX ActorOfFilm ON FilmActor (FilmId);
CREATE INDEX InventoryOfFilm ON Inventory (FilmId);
CREATE INDEX InventoryOfStore ON Inventory (StoreId);
CREATE INDEX RentalOfInventory ON Rental (InventoryId);
CREATE INDEX RentalOfCustomer ON Rental (CustomerId);
CREATE INDEX PaymentOfRental ON Payment (RentalId);

INSERT INTO Language VALUES (1, 'English'), (2, 'Italian');

INSERT INTO Category WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
  SELECT i, 'Category ' || i FROM n;

INSERT INTO Actor WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
  SELECT i, 'Actor ' || i FROM n;

INSERT INTO Film WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
  SELECT i, 'Film ' || i, 1, CASE WHEN i % 10 = 0 THEN 2 END FROM n;

INSERT INTO FilmActor SELECT ActorId, FilmId FROM Actor, Film WHERE (ActorId + FilmId) % 3 = 0;

INSERT INTO FilmCategory SELECT FilmId, 1 + FilmId % 4 FROM Film;

INSERT INTO City VALUES (1, 'Woodridge'), (2, 'Lethbridge');

INSERT INTO Address WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
  SELECT i, i || ' Drive', 1 + i % 2 FROM n;

INSERT INTO Store VALUES (1, 1), (2, 2);

INSERT INTO Staff VALUES (1, 'Mike', 3, 1), (2, 'Jon', 4, 2);

INSERT INTO Customer WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 16)
  SELECT i, 'Customer ' || i, 1 + i % 10, 1 + i % 2 FROM n;

INSERT INTO Inventory WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
  SELECT i, 1 + i % 40, 1 + i % 2 FROM n;

INSERT INTO Rental WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 160)
  SELECT i, '2005-05-24 22:53:30', 1 + i % 80, 1 + i % 16, 1 + i % 2 FROM n;

INSERT INTO Payment SELECT RentalId, 2.99, CustomerId, StaffId, RentalId FROM Rental;
