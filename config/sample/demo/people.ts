/**
 * Who works for the ferries and who travels with them.
 *
 * @module
 */

import { dateText, dateTimeText, DAY } from "./calendar.ts";
import { COMPANIES, type Person, personFrom } from "./names.ts";
import { COUNTRIES, PORTS, REGIONS, VESSELS } from "./places.ts";
import { Random } from "./random.ts";

/** Dates are `YYYY-MM-DD`. */
export interface Employee extends Person {
  readonly id: number;
  readonly title: string;
  /** The id of a superior; null only for the director. */
  readonly reportsTo: number | null;
  readonly portId: number;
  readonly birthDate: string | null;
  readonly hiredOn: string;
  readonly salary: number;
  readonly active: boolean;
  readonly email: string | null;
  /** The vessel whose crew they belong to. */
  readonly vesselId?: number;
}

/** Dates are `YYYY-MM-DD`, followed by a time in `createdAt`; the balance may be below zero. */
export interface Customer extends Person {
  readonly id: number;
  /** Empty for private customers. */
  readonly company: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly birthDate: string | null;
  readonly newsletter: boolean;
  readonly balance: number;
  readonly createdAt: string;
}

interface Position {
  readonly title: string;
  readonly locode: string;
  readonly reportsTo: number | null;
  readonly vesselId?: number;
}

const YEAR = 365;
const CUSTOMERS = 340;
const SALARIES: ReadonlyMap<string, number> = new Map([
  ["Managing director", 14_200],
  ["Regional manager", 8_900],
  ["Captain", 7_650],
  ["First officer", 6_100],
  ["Engineer", 5_800],
  ["Deckhand", 3_450],
  ["Ticket agent", 3_150],
]);

/** A port's id is its place in the list, from 1. */
export function portId(locode: string): number {
  return PORTS.findIndex(([code]) => code === locode) + 1;
}

/** In the order of their ids, which begin with 1. */
export function employees(): Employee[] {
  const random = new Random(11);
  return positions().map((position, index) => employee(index + 1, position, random));
}

/** Superiors come first: an id is known when it is referred to. */
function positions(): Position[] {
  const director: Position = { title: "Managing director", locode: "NO BGO", reportsTo: null };
  const managers = REGIONS.map(([locode]): Position => ({ title: "Regional manager", locode, reportsTo: 1 }));
  const list = [director, ...managers];
  for (const [index, [, , home, , , , inService]] of VESSELS.entries()) {
    if (inService) list.push(...crew(index + 1, home, list.length + 1));
  }
  return [
    ...list,
    ...PORTS.map(([locode]) => ({ title: "Ticket agent", locode, reportsTo: managerOf(locode) })),
  ];
}

/** `captain` is the id that the first of them will have. */
function crew(vesselId: number, locode: string, captain: number): Position[] {
  const member = (title: string, reportsTo: number): Position => ({ title, locode, reportsTo, vesselId });
  return [
    member("Captain", managerOf(locode)),
    member("First officer", captain),
    member("Engineer", captain),
    member("Deckhand", captain + 1),
    member("Deckhand", captain + 1),
  ];
}

/** The managers follow the director in the order of the regions. */
function managerOf(locode: string): number {
  const region = REGIONS.findIndex(([, countries]) => countries.some((code) => locode.startsWith(code)));
  return region + 2;
}

function employee(id: number, position: Position, random: Random): Employee {
  const person = personFrom(position.locode.slice(0, 2), random);
  const age = random.between(21, 63);
  const service = random.between(0, age - 20);
  const base = SALARIES.get(position.title) ?? 3_000;
  return {
    ...position,
    ...person,
    id,
    portId: portId(position.locode),
    birthDate: random.chance(8) ? null : dateText(-age * YEAR - random.below(YEAR)),
    hiredOn: dateText(-service * YEAR - random.below(YEAR)),
    salary: cents(base + service * 41.25),
    active: !random.chance(5),
    email: random.chance(12) ? null : `${person.mailbox}.${id}@ferries.example`,
  };
}

/** In the order of their ids, which begin with 1; there are always equally many. */
export function customers(): Customer[] {
  const random = new Random(12);
  return Array.from({ length: CUSTOMERS }, (_, index) => customer(index + 1, random));
}

function customer(id: number, random: Random): Customer {
  const [country] = random.pick(COUNTRIES);
  const person = personFrom(country, random);
  return {
    ...person,
    id,
    country,
    company: random.chance(15) ? random.pick(COMPANIES) : "",
    email: random.chance(15) ? null : `${person.mailbox}${id}@${random.pick(["example.org", "example.net"])}`,
    phone: random.chance(30) ? null : phone(random),
    birthDate: random.chance(20) ? null : dateText(-random.between(18 * YEAR, 85 * YEAR)),
    newsletter: random.chance(35),
    balance: random.chance(75) ? 0 : cents(random.between(-9_999, 49_999) / 100),
    createdAt: dateTimeText(-random.between(1, 900 * DAY), random.below(60)),
  };
}

function phone(random: Random): string {
  return `+${random.between(20, 99)} ${random.between(100, 999)} 555 0${random.between(100, 199)}`;
}

/** An amount of money, free of what binary fractions add. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
