/**
 * Documents as the core gives them.
 *
 * @module
 */

import type { Document } from "@/plugins/contract.ts";

/** The list of databases as the core gives it. */
export const DATABASES: Document = {
  name: "db",
  tree: [
    { db_id: "Shop", __href: "/db/Shop.json", type: "sqlite", description: "", status: "Connected" },
    { db_id: "a<b", __href: "/db/a%3Cb.json", type: "sqlite", description: "R&D", status: "Disconnected" },
  ],
  columns: ["db_id", "type", "description", "status"],
  rows: [
    ["Shop", "sqlite", "", "Connected"],
    ["a<b", "sqlite", "R&D", "Disconnected"],
  ],
};

/** One database's list of tables as the core gives it. */
export const TABLES: Document = {
  name: "Shop",
  tree: {
    Shop: {
      __href: "/db/Shop.json",
      Customer: { __href: "/db/Shop/Customer.json" },
      "Order line": { __href: "/db/Shop/Order%20line.json" },
    },
  },
  columns: ["table"],
  rows: [["Customer"], ["Order line"]],
};
