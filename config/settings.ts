/**
 * The one table of all settings in service.ini. `docs/settings.md` is generated from it.
 *
 * @module
 */

import {
  boolean,
  booleanOrAuto,
  cacheName,
  choice,
  encoding,
  integer,
  isAddress,
  isOrigin,
  list,
  optional,
  path,
  pattern,
  positiveNumber,
  sessionPlace,
  type Setting,
  setting,
  text,
  usualPlace,
} from "./setting_types.ts";

/**
 * The number of the form of the configuration's files and of backups. A release that writes what an older one
 * would misread has a greater number.
 */
export const FORMAT = 1;

const productName = pattern(
  "a name of letters, digits, - and _ that starts with a letter",
  /^[A-Za-z][A-Za-z0-9_-]*$/,
);
const headerName = pattern("a name of letters, digits, - and _", /^[A-Za-z0-9_-]+$/);
const hostAndPort = pattern("host:port", /^[^\s:]+:\d{1,5}$|^\[[0-9A-Fa-f:]+\]:\d{1,5}$/);
const publicKey = pattern(
  "an Ed25519 key, as base64url of its 32 bytes or in PEM",
  /^[A-Za-z0-9_-]{43}$|-----BEGIN PUBLIC KEY-----/,
);
const seconds = integer(1);

const on = setting(boolean, "True");
const off = setting(boolean, "False");
const made = { isMade: true } as const;

const service = {
  "config_format": setting(integer(1), String(FORMAT))(
    "Version of the format of the configuration files. A program that is too old for it does not start.",
  ),
  "branding.name": setting(productName, "Rowhouse")(
    "Product name: the XML root tag, the header `<name>-All-Record-Count`, and `product` in `/settings.json`.",
  ),
  "output_encoding": setting(encoding, "utf-8")(
    "Character encoding of answers; a character that it lacks is a reference in XML and HTML, `\\u` in JSON, else `?`.",
  ),
  "databases_path": setting(path, "{config_dir}/databases.cfg")("File that defines the databases.", made),
  "users_path": setting(path, "{config_dir}/users.cfg")("File that defines the users."),
  "querydefs_path": setting(path, "{config_dir}/querydefs.cfg")("File that defines the saved queries.", made),
  "initial_state_path": setting(path, "{config_dir}/regular-initial")(
    "File whose presence means first run; removed when the password of `admin` is set.",
  ),
  "templates_path": optional(path)(
    "Directory with the [template](configuration.md#pages) `page.html`, the frame of all pages. Unset: the built-in one.",
  ),
  "static_path": optional(path)(
    "Directory whose files are served below `/static/`, to everybody. Unset: there are none.",
    made,
  ),
  "plugins_path": optional(path)(
    "Directory of third-party plugins: `formats`, `auth`, `plugins/dialects` and `plugins/caches` below it.",
  ),
  "license": setting(path, "{config_dir}/license.key")(
    "Licence file; without one the service is the open edition.",
    made,
  ),
  "license.public_key": optional(publicKey)(
    "Ed25519 key that licences are verified with: base64url of its 32 bytes, or PEM.",
  ),
  "server.adapter": setting(choice("deno", "node", "auto"), "auto")(
    "HTTP server: `auto` is `deno` on a loopback address and `node` elsewhere, which ends half-sent requests.",
  ),
  "server.max_connections": optional(integer(1))(
    "Connections that may be open at once, of all workers together. Unset, and at most: the hard limit of open files less 256, or half of it where that is more. [Connections](operations.md#connections-and-signals) describes what the adapters do above it.",
  ),
  "server.drain": setting(integer(0, 3600), "0")(
    "Seconds that the service still accepts connections after SIGTERM or SIGINT, while `/readyz` is 503 and answers have `Connection: close`: as long as a load balancer needs to notice.",
  ),
  "server.grace": setting(integer(0, 3600), "10")(
    "Seconds that running requests then have to finish before they are cut off.",
  ),
  "server.plugin_timeout": setting(integer(1, 3600), "60")(
    "Seconds that a plugin may take for one step: its setup, a connection, a catalog, the authentication of a request (half as long for a password), an answer or a piece of one. Then the start fails with its name, or the request is 503, or the database stays disconnected.",
  ),
  "server.answer_memory": setting(integer(1_048_576), "268435456")(
    "Bytes of built answers that may wait for their clients, a quarter of it for one address, in each worker; beyond it: 503.",
  ),
  "server.body_memory": setting(integer(1_048_576), "268435456")(
    "Bytes that the bodies of requests may take up in each worker while they are read and written; beyond it: 503. One address has at most a quarter of it, and so have all senders together whose body is read to authenticate them. [Budgets](operations.md#budgets) has the exceptions.",
  ),
  "max_body_size": setting(integer(1), "10485760")(
    "Largest request body in bytes; a larger one is answered with 413.",
  ),
  "log.max_size": setting(integer(1024), "10485760")(
    "Bytes after which `rowhouse.log` and `audit.log` are put aside as `.1`, `.2` and so on.",
  ),
  "log.format": setting(choice("text", "json"), "text")("Form of the lines of `rowhouse.log`."),
  "log.requests": setting(choice("none", "errors", "slow", "all"), "none")(
    "Requests that get a line in `rowhouse.log`; slow ones take `log.slow_statement` or, without it, a second.",
  ),
  "log.slow_statement": optional(integer(1))(
    "Milliseconds from which a statement is a line of the log, with placeholders instead of values.",
  ),
  "log.kept": setting(integer(0, 1000), "5")(
    "Number of logs of each kind that were put aside and are kept.",
  ),
  "ready.when": setting(choice("any", "all"), "any")(
    "Whether one connected database of those with `autoconnect` is enough for `/readyz`, or all of them have to be connected.",
  ),
  "metrics.public": off("Whether `/metrics` answers beyond loopback."),
  "refid_prefix": setting(text, "__href")(
    "JSON key that holds the URL of a resource: a name that no column has.",
  ),
  "url.append_substitution": on(
    "Whether the `url.substitution.` settings extend the built-in ones (True) or replace them (False).",
  ),
  "html_limit": setting(integer(1), "29")(
    "Rows on a page: HTML requests without `limit` are redirected to this one.",
  ),
};

const formats = {
  "formats": setting(
    list(
      "different format names of the letters a to z, digits, _ and -, with commas between them",
      (item) => /^[a-z][a-z0-9_-]*$/.test(item),
      1,
    ),
    "json,xml,csv,html,txt,xsd",
  )("Formats that are enabled; any other is never loaded."),
  "stream_by_default": off("Whether answers are streamed when the request does not say."),
};

const databases = {
  "orm_sdb.use_automap": on(
    "Whether the catalog's foreign keys give relations; False: only the foreign keys in databases.cfg do.",
  ),
  "orm_sdb.yield_per": setting(integer(1, 1_000_000), "50")(
    "Rows that an answer with `stream` fetches at once. Long lists without it fetch at least 500.",
    {
      alias: "yield_per",
    },
  ),
  "orm_sdb.engine_echo": off("Whether the SQL that reads the catalog is logged."),
  "orm_sdb.mysql_driver": setting(choice("mysqldb", "pymysql", "mysqlconnector"), "mysqldb")(
    "Name of the MySQL driver.",
    { effect: "Without effect: there is one driver for MySQL" },
  ),
  "ignore_default_fields": off(
    "When False the server sets TIMESTAMP columns on insert instead of taking the value that was sent.",
    { effect: "Only on SQL Server" },
  ),
};

const access = {
  "appid_name": setting(headerName, "appid")(
    "Header and query parameter of the application id; auth.cfg goes first.",
  ),
  "apikey_name": setting(headerName, "apikey")(
    "Header and query parameter of the API key; auth.cfg goes first.",
  ),
  "allow_apikey_in_query_string": off("Whether an API key in the query string is accepted."),
  "min_password_strength": setting(integer(0, 4), "2")(
    "Least strength of a new password, from 0 (risky) to 4 (withstands offline attacks).",
  ),
  // OWASP recommends 19 MiB, two passes and one lane for Argon2id.
  "argon2.memory_cost": setting(integer(8, 4_194_304), "19456")(
    "KiB of memory that hashing a password takes; a user's hash is raised to it at the next login.",
  ),
  "argon2.time_cost": setting(integer(1, 1000), "2")(
    "Passes over that memory; a user's hash is raised to it at the next login.",
  ),
  "allow_empty_password": off("Whether a password may be empty."),
  "require_details_in_terms_and_conditions": on(
    "Whether the first run asks for first name, last name and e-mail.",
  ),
  "login_throttle.rate": setting(positiveNumber, "1")(
    "Login attempts per minute on average, per address, and per login and address; more are answered with 429.",
  ),
  "login_throttle.burst": setting(integer(1), "5")(
    "Login attempts that may come at once, per address, and per login and address.",
  ),
  "trusted_proxies": setting(list("IP addresses or networks with commas between them", isAddress), "")(
    "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
  ),
  "cors.trusted_origins": setting(
    list("origins such as https://example.com with commas between them", isOrigin),
    "",
  )("Other origins whose pages may read answers to requests with the session cookie, and change something with it."),
  "cors.open": off(
    "Lets pages of every origin read answers to requests with the session cookie, and log in, as in the sample of the specification.",
  ),
  "clock_skew": setting(integer(0), "60")("Seconds by which clocks of identity providers may differ."),
  "sso.allow_private_addresses": off(
    "Whether identity providers may be asked at private addresses, and over HTTP without TLS.",
  ),
};

const sessions = {
  "memcached_server": optional(hostAndPort)(
    "Shared cache (memcached) that keeps sessions and the login throttle of several nodes in step.",
  ),
  "shared_cache": optional(cacheName)(
    "Name of another shared cache than memcached, such as `redis`; `session.url` is its location. With `session.type = ext:redis` it need not be set.",
  ),
  "session.secret": optional(text)(
    "Secret that protects sessions: 32 or more random characters, the same on all nodes. Unset on one node: generated into `{state_dir}`.",
    { secret: true },
  ),
  "session.secret_previous": optional(text)(
    "The secret before the current one: sessions made with it go on, so that it can be changed.",
    { secret: true },
  ),
  "session.type": setting(sessionPlace, usualPlace)(
    "Where sessions are: in the `cookie` itself (logging out cannot end them on the server), in a `file` each, or in the shared cache that is named after `ext:`.",
  ),
  "session.url": optional(text)(
    "Location of the shared cache: `host:port` of memcached, `redis://user:password@host:port/number`, `rediss://…` with TLS.",
    { default: "{memcached_server}", secret: true },
  ),
  "session.data_dir": setting(path, "{state_dir}/sessions/data")("Directory of session files."),
  "session.lock_dir": setting(path, "{state_dir}/sessions/lock")(
    "Directory of the locks that keep one session from being changed twice at once.",
  ),
  "session.timeout": setting(seconds, "3600")("Seconds without activity after which a session ends."),
  "session.cookie_expires": setting(seconds, "86400")("Seconds after which a session ends in any case."),
  "cookie_max_age": setting(seconds, "86400")("Seconds that a browser keeps the cookie."),
  "cookie_timeout": setting(seconds, "{session.timeout}")(
    "Seconds that a ticket in the cookie is valid without activity; the smaller of this and `session.timeout` counts.",
  ),
  "cookie_reissue_time": setting(seconds, "360")("Seconds after which a new ticket is made."),
  "cookie_http_only": on("Whether the cookie is hidden from scripts."),
  "cookie_secure": setting(booleanOrAuto, "auto")(
    "Whether the cookie is sent over HTTPS only; `auto`: when the request was HTTPS.",
  ),
};

/** Every setting by its key in service.ini. */
export const SETTINGS = { ...service, ...formats, ...databases, ...access, ...sessions };

/** Beginnings of keys that belong to the service itself: `session` of `session.type`. */
export const OWN_GROUPS: ReadonlySet<string> = new Set(
  [
    "db",
    ...Object.keys(SETTINGS).flatMap((key) => key.includes(".") ? [key.slice(0, key.indexOf("."))] : []),
  ],
);

/** All settings in groups, for the documentation. */
export const SETTING_GROUPS = {
  Service: service,
  Formats: formats,
  Databases: databases,
  Access: access,
  Sessions: sessions,
};

/** Keys that contain a name chosen by the operator. Their readers are in `service_ini.ts`. */
export const SETTING_PATTERNS = [
  {
    key: "url.substitution.<sequence>",
    type: "one character",
    default: "`__` is `/`, `_dot` is `.`",
    doc: 'Character that a sequence in URL segments stands for; quote `;` and `#` (`"#"`).',
  },
  {
    key: "db.<db_id>.limit",
    type: "an integer from 1",
    default: "unset",
    doc:
      "Rows that requests for lists of this database get without `limit`; `limit` in databases.cfg goes first.",
  },
  {
    key: "<format>_sdb.stream_by_default",
    type: "True or False",
    default: "the value of `stream_by_default`",
    doc: "The same for one format. Without effect for XSD: schemas are short and never streamed.",
  },
  {
    key: "<format>_sdb.<key>, <dialect>.<key>",
    type: "as the plugin declares",
    default: "as the plugin declares",
    doc:
      "Settings of a plugin; those of the built-in ones are below. A dialect with a setting is loaded at the start.",
  },
] as const;

/** The values of all settings, by key. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof SETTINGS)[Key]> };

/** The name of a setting in service.ini, except patterns. */
export type SettingKey = keyof typeof SETTINGS;

type ValueOf<Entry> = Entry extends Setting<infer Value> ? Value : never;
