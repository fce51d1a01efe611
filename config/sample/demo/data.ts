/**
 * All rows of the demo database, table by table: whatever a row refers to comes before it.
 *
 * @module
 */

import { dateTimeText } from "./calendar.ts";
import { type Customer, customers, type Employee, employees, portId } from "./people.ts";
import { AMENITIES, COUNTRIES, FARES, PORTS, VESSELS } from "./places.ts";
import { bandedFlag } from "./png.ts";
import { Random } from "./random.ts";
import { type Booking, bookings, type Ticket, tickets } from "./sales.ts";
import { type CrewMember, crews, type Route, routes, type Sailing, sailings } from "./season.ts";
import type { Cell, TableRows } from "./table.ts";

/** The same rows in every run. */
export function* demoTables(): Generator<TableRows> {
  yield* fixedTables();
  const [staff, buyers, lines] = [employees(), customers(), routes()];
  const voyages = sailings(lines);
  const sellers = staff.filter((member) => member.title === "Ticket agent");
  const sold = bookings({ buyers, sellers, voyages });
  yield table("Route", "RouteId OriginPortId DestinationPortId Miles Minutes OpenedOn", lines.map(routeRow));
  yield table(
    "Employee",
    "EmployeeId FirstName LastName Title ReportsTo PortId BirthDate HiredOn Salary Active Email",
    staff.map(employeeRow),
  );
  yield table(
    "Sailing",
    "SailingId RouteId VesselId Departure Arrival Status DelayMinutes",
    voyages.map(sailingRow),
  );
  yield table("Crew", "SailingId EmployeeId Duty", crews(voyages, staff).map(crewRow));
  yield table(
    "Customer",
    "CustomerId FirstName LastName Company Email Phone CountryCode BirthDate Newsletter Balance CreatedAt",
    buyers.map(customerRow),
  );
  yield table(
    "Booking",
    "BookingId Reference CustomerId SailingId SoldBy BookedAt Paid Remarks",
    sold.map(bookingRow),
  );
  yield table(
    "Ticket",
    "TicketId BookingId FareCode Passenger Seat Price Discount CheckedInAt",
    tickets(sold).map(ticketRow),
  );
}

function* fixedTables(): Generator<TableRows> {
  yield table("Country", "CountryCode Name LocalName Currency", COUNTRIES);
  yield table(
    "Port",
    "PortId Locode Name LocalName CountryCode Latitude Longitude HasCustoms Notes",
    PORTS.map((
      [locode, name, local, ...rest],
      index,
    ) => [index + 1, locode, name, local, locode.slice(0, 2), ...rest]),
  );
  yield table(
    "Vessel",
    "VesselId Name CallSign HomePortId LaunchedOn Seats LengthMetres InService Pennant",
    VESSELS.map(([name, callSign, home, launched, seats, length, inService, bands], index) => [
      ...[index + 1, name, callSign, portId(home), launched, seats, length, inService],
      bands && bandedFlag(bands),
    ]),
  );
  yield table("Amenity", "AmenityId Name", AMENITIES.map((name, index) => [index + 1, name]));
  yield table("VesselAmenity", "VesselId AmenityId", vesselAmenities());
  yield table("Fare", "FareCode Name PerMile TakesSeat Remarks", FARES);
}

function table(name: string, columns: string, rows: TableRows["rows"]): TableRows {
  return { table: name, columns: columns.split(" "), rows };
}

function vesselAmenities(): Cell[][] {
  const random = new Random(41);
  return VESSELS.flatMap((_, vessel) =>
    AMENITIES.flatMap((_, amenity) => random.chance(45) ? [[vessel + 1, amenity + 1]] : [])
  );
}

function routeRow(route: Route): Cell[] {
  return [route.id, route.origin, route.destination, route.miles, route.minutes, route.openedOn];
}

function employeeRow(employee: Employee): Cell[] {
  const { id, firstName, lastName, title, reportsTo, birthDate, hiredOn, salary, active, email } = employee;
  return [
    id,
    firstName,
    lastName,
    title,
    reportsTo,
    employee.portId,
    birthDate,
    hiredOn,
    salary,
    Number(active),
    email,
  ];
}

function sailingRow({ id, route, departure, status, delay }: Sailing): Cell[] {
  const arrival = departure + route.minutes;
  return [id, route.id, route.vesselId, dateTimeText(departure), dateTimeText(arrival), status, delay];
}

function crewRow({ sailingId, employeeId, duty }: CrewMember): Cell[] {
  return [sailingId, employeeId, duty];
}

function customerRow(customer: Customer): Cell[] {
  const { id, firstName, lastName, company, email, phone, country, birthDate, newsletter } = customer;
  const names = [id, firstName, lastName, company, email, phone, country, birthDate];
  return [...names, Number(newsletter), customer.balance, customer.createdAt];
}

function bookingRow(booking: Booking): Cell[] {
  const { id, reference, customer, sailing, soldBy, bookedAt, second, paid, remarks } = booking;
  return [
    id,
    reference,
    customer.id,
    sailing.id,
    soldBy,
    dateTimeText(bookedAt, second),
    Number(paid),
    remarks,
  ];
}

function ticketRow(ticket: Ticket, index: number): Cell[] {
  const { bookingId, fare, passenger, seat, price, discount, checkedInAt } = ticket;
  const checkedIn = checkedInAt === null ? null : dateTimeText(checkedInAt);
  return [index + 1, bookingId, fare, passenger, seat, price, discount, checkedIn];
}
