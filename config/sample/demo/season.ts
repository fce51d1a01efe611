/**
 * One season: which sailings there are, and who sails them.
 *
 * @module
 */

import { DAY, NOW } from "./calendar.ts";
import { type Employee, portId } from "./people.ts";
import { LINES, VESSELS } from "./places.ts";
import { Random } from "./random.ts";

/** One direction of a line; the way back is a route of its own. */
export interface Route {
  readonly id: number;
  /** Ports by their ids. */
  readonly origin: number;
  readonly destination: number;
  /** Nautical miles. */
  readonly miles: number;
  /** How long a sailing takes. */
  readonly minutes: number;
  /** `YYYY-MM-DD`; null when it is not known. */
  readonly openedOn: string | null;
  readonly vesselId: number;
}

/** Times are minutes since the season began. */
export interface Sailing {
  readonly id: number;
  readonly route: Route;
  readonly departure: number;
  readonly status: "scheduled" | "arrived" | "cancelled";
  readonly delay: number | null;
}

/** Who was on duty on a sailing, and as what. */
export interface CrewMember {
  readonly sailingId: number;
  readonly employeeId: number;
  readonly duty: string;
}

const SAILINGS_PER_ROUTE = 24;
const DAYS_BETWEEN = 5;

/** Both directions of each line, in the order of their ids. */
export function routes(): Route[] {
  return LINES.flatMap(([from, to, miles, minutes, openedOn, vessel], index) => {
    const vesselId = VESSELS.findIndex(([name]) => name === vessel) + 1;
    const [origin, destination] = [portId(from), portId(to)];
    const line = { miles, minutes, openedOn, vesselId };
    return [
      { ...line, id: index * 2 + 1, origin, destination },
      { ...line, id: index * 2 + 2, origin: destination, destination: origin },
    ];
  });
}

/** In order of departure. */
export function sailings(allRoutes: readonly Route[]): Sailing[] {
  const random = new Random(21);
  const departures = allRoutes.flatMap((route) =>
    departuresOf(route).map((departure) => ({ route, departure }))
  );
  departures.sort((a, b) => a.departure - b.departure || a.route.id - b.route.id);
  return departures.map((planned, index) => ({ id: index + 1, ...planned, ...outcome(planned, random) }));
}

function departuresOf(route: Route): number[] {
  const firstDay = route.id % DAYS_BETWEEN;
  const timeOfDay = 5 * 60 + (route.id * 75) % (16 * 60);
  return Array.from(
    { length: SAILINGS_PER_ROUTE },
    (_, trip) => (firstDay + trip * DAYS_BETWEEN) * DAY + timeOfDay,
  );
}

function outcome(
  { route, departure }: { readonly route: Route; readonly departure: number },
  random: Random,
): Pick<Sailing, "status" | "delay"> {
  if (random.chance(3)) return { status: "cancelled", delay: null };
  if (departure + route.minutes > NOW) return { status: "scheduled", delay: null };
  return { status: "arrived", delay: random.chance(70) ? 0 : random.between(-5, 85) };
}

/** Captain, officer and engineer on each sailing; of the deckhands, those who are on duty. */
export function crews(allSailings: readonly Sailing[], staff: readonly Employee[]): CrewMember[] {
  const random = new Random(22);
  return allSailings.flatMap(({ id: sailingId, route }) =>
    staff.filter((member) => member.vesselId === route.vesselId)
      .filter((member) => member.title !== "Deckhand" || random.chance(30))
      .map((member) => ({ sailingId, employeeId: member.id, duty: member.title }))
  );
}
