-- The demo database: a fictional alliance of coastal ferries, its timetable, its crews and one season of bookings.
-- Dates are text, YYYY-MM-DD; times are text without zone, YYYY-MM-DD HH:MM:SS.
-- Every statement ends with a semicolon at the end of a line.

CREATE TABLE Country (
  CountryCode CHAR(2) NOT NULL PRIMARY KEY CHECK (length(CountryCode) = 2),
  Name VARCHAR(40) NOT NULL UNIQUE,
  LocalName VARCHAR(40) NOT NULL,
  Currency CHAR(3) NOT NULL
);

CREATE TABLE Port (
  PortId INTEGER NOT NULL PRIMARY KEY,
  Locode CHAR(6) NOT NULL UNIQUE,                 -- with its space, as it is written: NO BGO
  Name VARCHAR(40) NOT NULL,
  LocalName VARCHAR(40) NOT NULL,
  CountryCode CHAR(2) NOT NULL REFERENCES Country (CountryCode),
  Latitude REAL NOT NULL CHECK (Latitude BETWEEN -90 AND 90),
  Longitude REAL NOT NULL CHECK (Longitude BETWEEN -180 AND 180),
  HasCustoms BOOLEAN NOT NULL DEFAULT 0,
  Notes TEXT
);
CREATE INDEX PortCountry ON Port (CountryCode);

-- Two foreign keys to one table: where a route starts and where it ends.
CREATE TABLE Route (
  RouteId INTEGER NOT NULL PRIMARY KEY,
  OriginPortId INTEGER NOT NULL REFERENCES Port (PortId),
  DestinationPortId INTEGER NOT NULL REFERENCES Port (PortId),
  Miles REAL NOT NULL CHECK (Miles > 0),
  Minutes INTEGER NOT NULL CHECK (Minutes > 0),
  OpenedOn DATE,
  UNIQUE (OriginPortId, DestinationPortId),
  CHECK (OriginPortId <> DestinationPortId)
);
CREATE INDEX RouteDestination ON Route (DestinationPortId);

CREATE TABLE Vessel (
  VesselId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL UNIQUE,
  CallSign VARCHAR(8) NOT NULL UNIQUE,
  HomePortId INTEGER NOT NULL REFERENCES Port (PortId),
  LaunchedOn DATE NOT NULL,
  Seats INTEGER NOT NULL CHECK (Seats > 0),
  LengthMetres REAL NOT NULL,
  InService BOOLEAN NOT NULL DEFAULT 1,
  Pennant BLOB                                    -- a PNG; NULL for a vessel that flies none
);
CREATE INDEX VesselHomePort ON Vessel (HomePortId);

CREATE TABLE Amenity (
  AmenityId INTEGER NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL UNIQUE
);

-- Many-to-many without columns of its own.
CREATE TABLE VesselAmenity (
  VesselId INTEGER NOT NULL REFERENCES Vessel (VesselId) ON DELETE CASCADE,
  AmenityId INTEGER NOT NULL REFERENCES Amenity (AmenityId),
  PRIMARY KEY (VesselId, AmenityId)
) WITHOUT ROWID;
CREATE INDEX VesselAmenityAmenity ON VesselAmenity (AmenityId);

-- A self-reference: nobody is above the managing director.
CREATE TABLE Employee (
  EmployeeId INTEGER NOT NULL PRIMARY KEY,
  FirstName VARCHAR(40) NOT NULL,
  LastName VARCHAR(40) NOT NULL,
  Title VARCHAR(40) NOT NULL,
  ReportsTo INTEGER REFERENCES Employee (EmployeeId),
  PortId INTEGER NOT NULL REFERENCES Port (PortId),
  BirthDate DATE,
  HiredOn DATE NOT NULL,
  Salary DECIMAL(10,2) NOT NULL CHECK (Salary > 0),
  Active BOOLEAN NOT NULL DEFAULT 1,
  Email VARCHAR(60) UNIQUE
);
CREATE INDEX EmployeeReportsTo ON Employee (ReportsTo);
CREATE INDEX EmployeePort ON Employee (PortId);

CREATE TABLE Sailing (
  SailingId INTEGER NOT NULL PRIMARY KEY,
  RouteId INTEGER NOT NULL REFERENCES Route (RouteId),
  VesselId INTEGER NOT NULL REFERENCES Vessel (VesselId),
  Departure DATETIME NOT NULL,
  Arrival DATETIME NOT NULL,
  Status VARCHAR(10) NOT NULL DEFAULT 'scheduled' CHECK (Status IN ('scheduled', 'arrived', 'cancelled')),
  DelayMinutes INTEGER,                           -- NULL until it has arrived
  UNIQUE (RouteId, Departure),
  CHECK (Arrival > Departure)
);
CREATE INDEX SailingVessel ON Sailing (VesselId);

-- Many-to-many with a column of its own.
CREATE TABLE Crew (
  SailingId INTEGER NOT NULL REFERENCES Sailing (SailingId) ON DELETE CASCADE,
  EmployeeId INTEGER NOT NULL REFERENCES Employee (EmployeeId),
  Duty VARCHAR(20) NOT NULL,
  PRIMARY KEY (SailingId, EmployeeId)
);
CREATE INDEX CrewEmployee ON Crew (EmployeeId);

CREATE TABLE Customer (
  CustomerId INTEGER NOT NULL PRIMARY KEY,
  FirstName VARCHAR(40) NOT NULL,
  LastName VARCHAR(40) NOT NULL,
  Company VARCHAR(60) NOT NULL DEFAULT '',        -- empty for a private person, never NULL
  Email VARCHAR(60) UNIQUE,
  Phone VARCHAR(24),
  CountryCode CHAR(2) NOT NULL REFERENCES Country (CountryCode),
  BirthDate DATE,
  Newsletter BOOLEAN NOT NULL DEFAULT 0,
  Balance DECIMAL(10,2) NOT NULL DEFAULT 0,
  CreatedAt DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX CustomerCountry ON Customer (CountryCode);

-- The key is what stands on the ticket, so it holds slashes, dots, spaces and more.
CREATE TABLE Fare (
  FareCode VARCHAR(20) NOT NULL PRIMARY KEY,
  Name VARCHAR(40) NOT NULL,
  PerMile DECIMAL(10,2) NOT NULL CHECK (PerMile >= 0),
  TakesSeat BOOLEAN NOT NULL,
  Remarks TEXT
);

CREATE TABLE Booking (
  BookingId INTEGER NOT NULL PRIMARY KEY,
  Reference CHAR(6) NOT NULL UNIQUE,
  CustomerId INTEGER NOT NULL REFERENCES Customer (CustomerId),
  SailingId INTEGER NOT NULL REFERENCES Sailing (SailingId),
  SoldBy INTEGER REFERENCES Employee (EmployeeId), -- NULL when booked online
  BookedAt DATETIME NOT NULL,
  Paid BOOLEAN NOT NULL DEFAULT 0,
  Remarks TEXT
);
CREATE INDEX BookingCustomer ON Booking (CustomerId);
CREATE INDEX BookingSailing ON Booking (SailingId);
CREATE INDEX BookingSoldBy ON Booking (SoldBy);

CREATE TABLE Ticket (
  TicketId INTEGER NOT NULL PRIMARY KEY,
  BookingId INTEGER NOT NULL REFERENCES Booking (BookingId) ON DELETE CASCADE,
  FareCode VARCHAR(20) NOT NULL REFERENCES Fare (FareCode),
  Passenger VARCHAR(80) NOT NULL,
  Seat VARCHAR(4),
  Price DECIMAL(10,2) NOT NULL CHECK (Price >= 0),
  Discount REAL NOT NULL DEFAULT 0 CHECK (Discount BETWEEN 0 AND 1),
  Charged DECIMAL(10,2) GENERATED ALWAYS AS (round(Price * (1 - Discount), 2)) STORED,
  CheckedInAt DATETIME
);
CREATE INDEX TicketBooking ON Ticket (BookingId);
CREATE INDEX TicketFare ON Ticket (FareCode);

-- A view whose rows a column tells apart, although SQLite cannot know it.
CREATE VIEW Timetable AS
SELECT Sailing.SailingId, Origin.LocalName AS Origin, Destination.LocalName AS Destination,
       Vessel.Name AS Vessel, Sailing.Departure, Sailing.Arrival, Sailing.Status
FROM Sailing
JOIN Route ON Route.RouteId = Sailing.RouteId
JOIN Port AS Origin ON Origin.PortId = Route.OriginPortId
JOIN Port AS Destination ON Destination.PortId = Route.DestinationPortId
JOIN Vessel ON Vessel.VesselId = Sailing.VesselId;

-- A view that has no key.
CREATE VIEW RevenueByMonth AS
SELECT strftime('%Y-%m', Booking.BookedAt) AS Month, Fare.Name AS Fare,
       count(*) AS Tickets, round(sum(Ticket.Charged), 2) AS Revenue
FROM Ticket
JOIN Booking ON Booking.BookingId = Ticket.BookingId
JOIN Fare ON Fare.FareCode = Ticket.FareCode
WHERE Booking.Paid
GROUP BY 1, 2;
