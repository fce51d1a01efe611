/**
 * What does not grow: countries, ports, routes, vessels and fares.
 *
 * @module
 */

import type { Colour } from "./png.ts";

/** Code (ISO 3166-1), name, name in the country itself, and currency (ISO 4217). */
export const COUNTRIES = [
  ["NO", "Norway", "Norge", "NOK"],
  ["IS", "Iceland", "Ísland", "ISK"],
  ["FO", "Faroe Islands", "Føroyar", "DKK"],
  ["EE", "Estonia", "Eesti", "EUR"],
  ["FI", "Finland", "Suomi", "EUR"],
  ["GR", "Greece", "Ελλάδα", "EUR"],
  ["TR", "Türkiye", "Türkiye", "TRY"],
  ["HR", "Croatia", "Hrvatska", "EUR"],
  ["IT", "Italy", "Italia", "EUR"],
  ["BG", "Bulgaria", "България", "BGN"],
  ["GE", "Georgia", "საქართველო", "GEL"],
  ["JP", "Japan", "日本", "JPY"],
  ["KR", "South Korea", "대한민국", "KRW"],
  ["MA", "Morocco", "المغرب", "MAD"],
  ["ES", "Spain", "España", "EUR"],
] as const;

/** Their ids count from 1 in this order. Locode, name, local name, latitude, longitude, customs, notes. */
export const PORTS = [
  ["NO BGO", "Bergen", "Bergen", 60.39, 5.32, 1, "Quay 4 is closed on Sundays"],
  ["NO BOO", "Bodø", "Bodø", 67.28, 14.37, 0, null],
  ["NO SVJ", "Svolvær", "Svolvær", 68.23, 14.57, 0, null],
  ["NO TOS", "Tromsø", "Tromsø / Romsa", 69.65, 18.96, 1, "Midnight sun: 20 May to 22 July"],
  ["NO HVG", "Honningsvåg", "Honningsvåg", 70.98, 25.97, 0, ""],
  ["NO KKN", "Kirkenes", "Kirkenes / Girkonjárga", 69.73, 30.05, 1, null],
  ["IS REY", "Reykjavik", "Reykjavík", 64.15, -21.94, 1, null],
  [
    "IS SEY",
    "Seydisfjordur",
    "Seyðisfjörður",
    65.26,
    -14.01,
    1,
    "Road over the heath may be closed until May",
  ],
  ["FO THO", "Torshavn", "Tórshavn", 62.01, -6.77, 1, null],
  ["EE TLL", "Tallinn", "Tallinn", 59.44, 24.77, 1, null],
  ["FI HEL", "Helsinki", "Helsinki / Helsingfors", 60.16, 24.96, 1, null],
  ["GR PIR", "Piraeus", "Πειραιάς", 37.94, 23.64, 1, "Gate E1 for the Dodecanese"],
  ["GR HER", "Heraklion", "Ηράκλειο", 35.34, 25.14, 0, null],
  ["GR RHO", "Rhodes", "Ρόδος", 36.45, 28.23, 1, null],
  ["GR KGS", "Kos", "Κως", 36.9, 27.29, 1, null],
  ["TR BXN", "Bodrum", "Bodrum", 37.03, 27.43, 1, null],
  ["HR SPU", "Split", "Split", 43.51, 16.44, 1, null],
  ["IT AOI", "Ancona", "Ancona", 43.62, 13.51, 1, null],
  ["BG BOJ", "Burgas", "Бургас", 42.49, 27.48, 1, null],
  ["GE BUS", "Batumi", "ბათუმი", 41.65, 41.65, 1, null],
  ["JP HKT", "Hakata", "博多", 33.6, 130.4, 1, null],
  ["JP NGS", "Nagasaki", "長崎", 32.74, 129.87, 0, "台風の際は欠航"],
  ["KR PUS", "Busan", "부산", 35.1, 129.04, 1, null],
  ["KR CJU", "Jeju", "제주", 33.52, 126.54, 0, null],
  ["MA TNG", "Tangier", "طنجة", 35.79, -5.81, 1, null],
  ["ES ALG", "Algeciras", "Algeciras", 36.13, -5.44, 1, null],
] as const;

/** Both directions are sailed. Two ports, nautical miles, minutes, the day the line opened, its vessel. */
export const LINES = [
  ["NO BGO", "NO BOO", 458.5, 1560, "1893-07-02", "Skarv"],
  ["NO BOO", "NO SVJ", 67.2, 210, "1893-07-02", "Skarv"],
  ["NO SVJ", "NO TOS", 148.4, 525, null, "Skarv"],
  ["NO TOS", "NO HVG", 161, 600, "1908-05-15", "Havørn"],
  ["NO HVG", "NO KKN", 142.7, 510, "1908-05-15", "Havørn"],
  ["IS SEY", "FO THO", 291.3, 1110, "1975-06-14", "Teistin"],
  ["FO THO", "NO BGO", 358.9, 1380, "1976-05-29", "Teistin"],
  ["IS REY", "IS SEY", 312, 1290, "2019-06-01", "Lundi"],
  ["EE TLL", "FI HEL", 43.6, 120, "1965-07-07", "Tuuletar"],
  ["GR PIR", "GR HER", 174.8, 510, null, "Αλκυόνη"],
  ["GR PIR", "GR RHO", 246.1, 840, null, "Αλκυόνη"],
  ["GR RHO", "GR KGS", 61.4, 175, "2003-04-01", "Γλάρος"],
  ["GR KGS", "TR BXN", 11.5, 45, "1998-05-09", "Γλάρος"],
  ["HR SPU", "IT AOI", 132.6, 600, "1969-03-21", "Bura"],
  ["BG BOJ", "GE BUS", 634.2, 2400, "2013-04-10", "Чайка"],
  ["JP HKT", "KR PUS", 115.9, 330, "1991-03-25", "かもめ"],
  ["JP HKT", "JP NGS", 92.3, 285, null, "かもめ"],
  ["KR PUS", "KR CJU", 166.7, 660, "1977-04-13", "갈매기"],
  ["MA TNG", "ES ALG", 32.4, 95, "1961-01-01", "النورس"],
] as const;

/** Who manages the ports of which countries, and from where. */
export const REGIONS = [
  ["NO BGO", ["NO"]],
  ["IS REY", ["IS", "FO"]],
  ["EE TLL", ["EE", "FI"]],
  ["GR PIR", ["GR", "TR", "HR", "IT", "MA", "ES"]],
  ["BG BOJ", ["BG", "GE"]],
  ["JP HKT", ["JP", "KR"]],
] as const;

const RED: Colour = [200, 30, 45];
const WHITE: Colour = [250, 250, 250];
const BLUE: Colour = [20, 60, 140];
const GREEN: Colour = [20, 120, 70];
const GOLD: Colour = [240, 190, 30];

/** Their ids count from 1 in this order. Name, call sign, home port, launched, seats, metres, in service, pennant. */
export const VESSELS = [
  ["Skarv", "LF2.A", "NO BGO", "1997-03-14", 490, 121.8, 1, [RED, WHITE, BLUE]],
  ["Havørn", "LF7.C", "NO TOS", "2002-11-02", 622, 138.5, 1, [BLUE, WHITE]],
  ["Lundi", "TF/LU", "IS REY", "2008-05-30", 380, 99.2, 1, [BLUE, RED, WHITE]],
  ["Teistin", "OW 21", "FO THO", "2001-06-08", 288, 84.4, 1, null],
  ["Tuuletar", "ES-TU", "EE TLL", "2016-12-09", 2400, 186.1, 1, [BLUE, [20, 20, 20], WHITE]],
  ["Αλκυόνη", "SV.AL", "GR PIR", "1999-02-25", 1450, 164.7, 1, [BLUE, WHITE, BLUE]],
  ["Γλάρος", "SV.GL", "GR RHO", "2011-04-19", 410, 61.3, 1, null],
  ["Bura", "9A/BU", "HR SPU", "1993-09-01", 1020, 147.9, 1, [RED, WHITE, BLUE]],
  ["Чайка", "LZ CH", "BG BOJ", "1986-01-17", 150, 185.4, 1, [WHITE, GREEN, RED]],
  ["かもめ", "JF.KM", "JP HKT", "2014-07-07", 560, 118, 1, [WHITE, RED, WHITE]],
  ["갈매기", "DS/GM", "KR PUS", "2018-08-28", 710, 142.2, 1, null],
  ["النورس", "CN.NW", "MA TNG", "2006-10-12", 870, 128.6, 1, [RED, GREEN]],
  ["Gamle Skarv", "LF1.A", "NO BGO", "1958-05-04", 220, 74.1, 0, [GOLD]],
] as const;

/** What vessels can have on board; an amenity's id is its place in the list, from 1. */
export const AMENITIES = [
  "Café",
  "Car deck",
  "Cabins",
  "Children's corner",
  "Wi-Fi",
  "Sauna",
  "お風呂",
  "Duty-free / Shop",
];

/** Code, name, price per mile, whether it takes a seat, remarks. */
export const FARES = [
  ["ADULT", "Adult", 0.42, 1, null],
  ["CHILD 4-11", "Child", 0.21, 1, null],
  ["INFANT <4", "Infant", 0, 0, "On a lap"],
  ["SENIOR 60+", "Senior", 0.31, 1, null],
  ["STUDENT/YOUTH", "Student or youth", 0.29, 1, "Card is checked at the gate"],
  ["DECK, OPEN", "Open deck", 0.17, 0, "Not from October to April"],
  ["CABIN 1/2 A.C.", "Bed in a cabin for two", 0.95, 1, "A.C. = air conditioned"],
  ["CAR/VAN 2.5 t", "Car or van", 1.18, 0, null],
  ["CAR__TRAILER", "Car with trailer", 1.74, 0, ""],
  ["M/C", "Motorcycle", 0.66, 0, null],
  ["BICYCLE", "Bicycle", 0.08, 0, '50% off with "SENIOR 60+"'],
  ["PET.", "Pet", 0.12, 0, null],
  ["ÅRSKORT", "Season ticket", 0, 1, null],
] as const;
