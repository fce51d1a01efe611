/**
 * Dates as the database holds them, counted from the first day of the season.
 *
 * @module
 */

const FIRST_DAY = Date.UTC(2025, 3, 1); // 1 April 2025

/** Minutes of a day: times are counted in minutes. */
export const DAY = 24 * 60;

/** The moment at which the data was taken, in minutes: later sailings are still to come. */
export const NOW = 75 * DAY;

/** `YYYY-MM-DD`, that many days after the season began; negative before. */
export function dateText(day: number): string {
  return dateTimeText(day * DAY).slice(0, 10);
}

/** `YYYY-MM-DD HH:MM:SS`, that many minutes and seconds after the season began. */
export function dateTimeText(minutes: number, seconds = 0): string {
  const instant = FIRST_DAY + (minutes * 60 + seconds) * 1000;
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}
