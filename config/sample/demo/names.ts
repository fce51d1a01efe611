/**
 * Names of people by country, each as it is written there and, after the colon, as an e-mail address has it.
 *
 * @module
 */

import type { Random } from "./random.ts";

/** A name, and how it appears in an e-mail address. */
export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  /** The last name in lower-case ASCII letters. */
  readonly mailbox: string;
}

interface Names {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

function names(first: string, last: string): Names {
  return { first: first.split(", "), last: last.split(", ") };
}

const NAMES: ReadonlyMap<string, Names> = new Map([
  [
    "NO",
    names(
      "Åse, Bjørn, Ingrid, Søren, Kåre, Liv",
      "Ødegård:odegard, Hansen:hansen, Nygård:nygard, Fjeld:fjeld",
    ),
  ],
  [
    "IS",
    names(
      "Þóra, Guðmundur, Sigríður, Björk, Ásgeir",
      "Jónsdóttir:jonsdottir, Sigurðsson:sigurdsson, Þórðarson:thordarson",
    ),
  ],
  ["FO", names("Jógvan, Rannvá, Hanus, Bárður", "Joensen:joensen, á Lakjuni:alakjuni, Højgaard:hojgaard")],
  ["EE", names("Tõnu, Liisi, Jüri, Maarja", "Mägi:magi, Õunapuu:ounapuu, Kask:kask, Pärn:parn")],
  ["FI", names("Väinö, Päivi, Jyrki, Aino", "Mäkelä:makela, Hämäläinen:hamalainen, Åkerlund:akerlund")],
  [
    "GR",
    names("Ελένη, Γιώργος, Μαρία, Νίκος", "Παπαδόπουλος:papadopoulos, Ιωάννου:ioannou, Δημητρίου:dimitriou"),
  ],
  ["TR", names("Ayşe, İbrahim, Gülşah, Çağlar", "Yılmaz:yilmaz, Öztürk:ozturk, Şahin:sahin, Doğan:dogan")],
  ["HR", names("Željka, Ivan, Đurđa, Mate", "Perišić:perisic, Šimunović:simunovic, Kovač:kovac")],
  [
    "IT",
    names(
      "Niccolò, Chiara, Salvatore, Maria José",
      "D'Angelo:dangelo, Esposito:esposito, De Santis:desantis",
    ),
  ],
  ["BG", names("Ивайло, Цветана, Георги, Йоана", "Петров:petrov, Димитрова:dimitrova, Желязков:zhelyazkov")],
  ["GE", names("ნინო, გიორგი, თამარ, ლევან", "ბერიძე:beridze, კაპანაძე:kapanadze, მაისურაძე:maisuradze")],
  ["JP", names("陽菜, 蓮, さくら, 健太", "佐藤:sato, 鈴木:suzuki, 高橋:takahashi, 渡辺:watanabe")],
  ["KR", names("지우, 민준, 서연, 현우", "김:kim, 이:lee, 박:park, 최:choi")],
  ["MA", names("فاطمة, محمد, ليلى, يوسف", "العلوي:alaoui, بنجلون:benjelloun, الفاسي:elfassi")],
  ["ES", names("Íñigo, Lucía, Begoña, Andrés", "Núñez:nunez, García:garcia, Muñoz:munoz, Peña:pena")],
]);

/** Names in many scripts, with the characters that formats and SQL have to escape. */
export const COMPANIES = [
  "Nordhav Frakt AS",
  'Café & Søn "Havnen"',
  "Ο Φάρος Α.Ε.",
  "株式会社みなと商事",
  "Бриз ООД",
  "شركة المضيق",
  "O'Leary, Pérez & Cía.",
  "R&D <Marine> Ltd",
  "100% Wind_Power",
];

/** Somebody from that country. */
export function personFrom(country: string, random: Random): Person {
  const known = NAMES.get(country);
  if (!known) throw new RangeError(`Cannot name a person from "${country}"`);
  const [lastName = "", mailbox = ""] = random.pick(known.last).split(":");
  return { firstName: random.pick(known.first), lastName, mailbox };
}
