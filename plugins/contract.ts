/**
 * The whole contract between Rowhouse and its plugins: formats (`contract/format*.ts`, `contract/page*.ts`),
 * authentication methods (`contract/auth*.ts`), database dialects (`contract/dialect*.ts`,
 * `contract/database.ts`, `contract/statement.ts`, `contract/sql_traits.ts`) and shared caches
 * (`contract/cache.ts`). Everything is imported from here; built-in plugins import nothing else of the core.
 * A plugin is a folder with a `mod.ts` whose default export is one of {@link FormatPlugin}, {@link
 * AuthPlugin}, {@link DialectPlugin} or {@link CachePlugin}; its `name` equals the folder's.
 *
 * A plugin needs this file for its types only (`import type`), so one file anywhere on disk is sufficient.
 *
 * @module
 */

import type { AuthPlugin } from "./contract/auth.ts";
import type { CachePlugin } from "./contract/cache.ts";
import type { DialectPlugin } from "./contract/dialect.ts";
import type { FormatPlugin } from "./contract/format.ts";

export type { Catalog, Column, TableDescription, TypeDetail } from "@/core/catalog.ts";
export type {
  Cell,
  DatabaseDefinition,
  Document,
  DocumentColumn,
  DocumentShape,
  ForeignKey,
  Json,
  JsonObject,
  PoolSettings,
  Problem,
  Row,
  Value,
  ValueType,
} from "@/core/model.ts";
export type * from "./contract/auth.ts";
export type * from "./contract/auth_host.ts";
export type * from "./contract/auth_route.ts";
export type * from "./contract/auth_session.ts";
export type * from "./contract/auth_user.ts";
export type * from "./contract/cache.ts";
export type * from "./contract/database.ts";
export type * from "./contract/diagram.ts";
export type * from "./contract/dialect.ts";
export type * from "./contract/dialect_kit.ts";
export type * from "./contract/format.ts";
export type * from "./contract/format_body.ts";
export type * from "./contract/format_parameter.ts";
export type * from "./contract/format_shape.ts";
export type * from "./contract/page.ts";
export type * from "./contract/page_field.ts";
export type * from "./contract/page_list.ts";
export type * from "./contract/page_view.ts";
export type { Log, Section } from "./contract/plugin.ts";
export type * from "./contract/sender.ts";
export type * from "./contract/settings.ts";
export type * from "./contract/sql_traits.ts";
export type * from "./contract/statement.ts";
export type * from "./contract/summary.ts";
export { CONTRACT } from "./contract/plugin.ts";

/** A plugin of any kind. */
export type AnyPlugin = FormatPlugin | AuthPlugin | DialectPlugin | CachePlugin;
