/**
 * What was sold: bookings and their tickets.
 *
 * @module
 */

import { DAY, NOW } from "./calendar.ts";
import { personFrom } from "./names.ts";
import { cents, type Customer, type Employee } from "./people.ts";
import { FARES } from "./places.ts";
import { Random } from "./random.ts";
import type { Sailing } from "./season.ts";

/** Times are minutes since the season began. */
export interface Booking {
  readonly id: number;
  readonly reference: string;
  readonly customer: Customer;
  readonly sailing: Sailing;
  readonly soldBy: number | null;
  readonly bookedAt: number;
  readonly second: number;
  readonly paid: boolean;
  readonly remarks: string | null;
}

/** One passenger, vehicle or animal of a booking. */
export interface Ticket {
  readonly bookingId: number;
  /** The code of one of `FARES`. */
  readonly fare: string;
  readonly passenger: string;
  /** Null for what takes none. */
  readonly seat: string | null;
  readonly price: number;
  /** The part of the price that is not paid, from 0 to 1. */
  readonly discount: number;
  /** Minutes since the season began; null when nobody came. */
  readonly checkedInAt: number | null;
}

type Fare = (typeof FARES)[number];

const BOOKINGS = 1500;
const LOWEST_PRICE = 3.5;
const REFERENCE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const REMARKS = [
  "",
  "Wheelchair",
  "Vegetarian meal",
  "Näköala, kiitos",
  "車椅子",
  'Two dogs; "very" friendly',
  "a\nb",
];
const PERSONAL_FARES = FARES.filter(([, , , takesSeat]) => takesSeat);
const OTHER_FARES = FARES.filter(([, , , takesSeat]) => !takesSeat);

/** In the order in which they were made. */
export function bookings(
  { buyers, sellers, voyages }: {
    readonly buyers: readonly Customer[];
    readonly sellers: readonly Employee[];
    readonly voyages: readonly Sailing[];
  },
): Booking[] {
  const random = new Random(31);
  const made = Array.from({ length: BOOKINGS }, () => ({
    ...chooseSailing(voyages, random),
    customer: random.pick(buyers),
    soldBy: random.chance(40) ? random.pick(sellers).id : null,
    second: random.below(60),
    paid: random.chance(92),
    remarks: random.chance(12) ? random.pick(REMARKS) : null,
  }));
  made.sort((a, b) => a.bookedAt - b.bookedAt || a.second - b.second);
  return made.map((booking, index) => ({ id: index + 1, reference: reference(index + 1), ...booking }));
}

/** Nobody has booked after the data was taken, so that sailings long after it are still empty. */
function chooseSailing(voyages: readonly Sailing[], random: Random): Pick<Booking, "sailing" | "bookedAt"> {
  const sailing = random.pick(voyages);
  const bookedAt = sailing.departure - random.between(60, 45 * DAY);
  return bookedAt < NOW ? { sailing, bookedAt } : chooseSailing(voyages, random);
}

/** Five bits for each letter of a product with an odd number: no two ids have the same one. */
function reference(id: number): string {
  const bits = Math.imul(id, 0x9e3779b1) >>> 2;
  const letters = [25, 20, 15, 10, 5, 0].map((shift) => REFERENCE_LETTERS.charAt((bits >>> shift) & 31));
  return letters.join("");
}

/** The tickets of each booking together, in the order of the bookings. */
export function tickets(allBookings: readonly Booking[]): Ticket[] {
  const random = new Random(32);
  return allBookings.flatMap((booking) => ticketsOf(booking, random));
}

function ticketsOf(booking: Booking, random: Random): Ticket[] {
  const { customer } = booking;
  const fullName = `${customer.firstName} ${customer.lastName}`;
  const list = [ticket(booking, { fare: random.pick(PERSONAL_FARES), passenger: fullName }, random)];
  for (let companions = random.between(-1, 3); companions > 0; companions--) {
    const { firstName } = personFrom(customer.country, random);
    const passenger = `${firstName} ${customer.lastName}`;
    list.push(ticket(booking, { fare: random.pick(PERSONAL_FARES), passenger }, random));
  }
  if (random.chance(30)) {
    list.push(ticket(booking, { fare: random.pick(OTHER_FARES), passenger: fullName }, random));
  }
  return list;
}

function ticket(
  { id, sailing }: Booking,
  { fare, passenger }: { readonly fare: Fare; readonly passenger: string },
  random: Random,
): Ticket {
  const [code, , perMile, takesSeat] = fare;
  const boarded = sailing.status === "arrived" && !random.chance(5);
  return {
    bookingId: id,
    fare: code,
    passenger,
    seat: takesSeat ? `${random.between(1, 60)}${random.pick(["A", "B", "C", "D"])}` : null,
    price: perMile === 0 ? 0 : cents(Math.max(LOWEST_PRICE, sailing.route.miles * perMile)),
    discount: random.chance(70) ? 0 : random.pick([0.05, 0.1, 0.25, 1]),
    checkedInAt: boarded ? sailing.departure - random.between(15, 90) : null,
  };
}
