/**
 * URL of a shared store.
 *
 * @module
 */

/** Default timeout of a store, in milliseconds. */
const TIMEOUT_MS = 500;

/** Longest timeout of a store, in milliseconds: a minute. */
const MAX_TIMEOUT_MS = 60_000;

/** Default port of Redis. */
const REDIS_PORT = 6379;

/** Default port of Sentinel. */
const SENTINEL_PORT = 26_379;

/** Kind of the servers at the addresses of a URL. */
export type StoreKind =
  /** The store itself. */
  | "server"
  /** Redis Sentinels, which know the primary. */
  | "sentinel"
  /** Nodes of a Redis Cluster, which know all other nodes. */
  | "cluster";

// Scheme, kind, user name and password, addresses, path, query.
const URL_OF_STORE =
  /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@\s/?#]*)@)?([^@\s/?#]+)(\/[^\s?#]*)?(?:\?([^\s#]*))?$/;

// Path by kind: the name of the primary, the number of a database.
const PATHS: Readonly<Record<StoreKind, RegExp>> = {
  server: /^()(\/[0-9]*)?$/,
  sentinel: /^\/([A-Za-z0-9._-]+)(\/[0-9]*)?$/,
  cluster: /^()(?:\/0?)?$/,
};

const WANTED_PATHS: Readonly<Record<StoreKind, string>> = {
  server: "a URL of redis that ends with its address, or with a database as in redis://host:6379/0",
  sentinel: "a URL of redis+sentinel that ends with the name of the primary: " +
    "redis+sentinel://host:26379/NAME",
  cluster: "a URL of redis+cluster that ends with its addresses",
};

const WANTED_LOGIN =
  "a URL whose user name and password are percent-encoded: / is %2F, # is %23, " +
  "? is %3F, @ is %40";

/** A host and a port. */
export interface StoreAddress {
  /** A name or an IP address. */
  readonly host: string;
  /** The port. */
  readonly port: number;
}

/** User name and password, each optional. */
export interface StoreLogin {
  /** The user name. */
  readonly username?: string;
  /** The password. */
  readonly password?: string;
}

/**
 * URL of a store. Its text omits user name, password and query; the logins are functions, so that no
 * log shows them.
 */
export interface StoreUrl {
  /** The kind of the servers at the addresses. */
  readonly kind: StoreKind;
  /** Whether the connection to the store is encrypted. */
  readonly isEncrypted: boolean;
  /** The addresses, with the default port of their kind where the URL has no port. */
  readonly addresses: readonly StoreAddress[];
  /** The Sentinels' name of the primary; empty without Sentinels. */
  readonly primaryName: string;
  /** The number of the database. */
  readonly database: number;
  /** The timeout of a reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether the URL has a password. */
  readonly hasPassword: boolean;
  /** Returns the user name and the password of the servers that keep keys. */
  readonly login: () => StoreLogin;
  /** Returns the user name and the password of the Sentinels. */
  readonly sentinelLogin: () => StoreLogin;
  /** Returns the URL without user name, password and query. */
  readonly toString: () => string;
  /** Returns the same for JSON. */
  readonly toJSON: () => string;
}

/**
 * Whether a text is an address: a host name in ASCII (RFC 1035 §2.3.4) or an IP address, optionally
 * with a port up to 65535.
 */
export function isAddress(text: string): boolean {
  return /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?$/.test(text) &&
    URL.canParse(`redis://${text}`);
}

/**
 * Parses a URL of the scheme `redis`, or `rediss` for TLS, as registered with IANA: host, port,
 * user name, password, and the number of a database as the path. With `+sentinel` after the
 * scheme, the addresses are Sentinels, separated by commas, and the path begins with the name of
 * the primary; with `+cluster`, the addresses are nodes of a Redis Cluster.
 *
 * The query may have `timeout`, in milliseconds, and for Sentinels with a password of their own
 * `sentinel_username` and `sentinel_password`.
 *
 * @returns For a wrong text with such a scheme, the requirement that it fails, to follow
 * "must be", which quotes no part of it. For a text of another form, undefined.
 */
export function parseStoreUrl(text: string): StoreUrl | string | undefined {
  const [, scheme, suffix, userinfo = "", hosts = "", path = "", query = ""] =
    URL_OF_STORE.exec(text) ?? [];
  if (scheme === undefined) {
    // A password with one of these characters ends where the address is expected.
    return /^rediss?(?:\+\w+)?:\/\/.*@/.test(text) ? WANTED_LOGIN : undefined;
  }
  const authorities = hosts.split(",");
  const isAddressed = authorities.every(isAddress);
  if (path.includes("@") || !isAddressed && query.includes("@")) return WANTED_LOGIN;
  const kind = (suffix ?? "server") as StoreKind;
  const [, primaryName, database = ""] = PATHS[kind].exec(path) ?? [];
  if (primaryName === undefined) return WANTED_PATHS[kind];
  const most = kind === "server" ? 1 : 100;
  if (authorities.length > most) {
    return most === 1 ? "a URL of redis with one address" : `a URL with at most ${most} addresses`;
  }
  // The client decodes user name and password itself, and its error would quote them.
  if (!isDecodable(userinfo)) return WANTED_LOGIN;
  if (!isAddressed) return "a URL with an address such as host:6379";
  const options = readQuery(query, kind);
  if (typeof options === "string") return options;
  const [, username, password] = /^([^:]*):?(.*)$/.exec(userinfo)!.map(decodeURIComponent);
  const login = loginOf(username, password);
  const { timeoutMs, sentinelLogin } = options;
  const shown = `${scheme}${suffix === undefined ? "" : `+${suffix}`}://${hosts}${path}`;
  return Object.freeze({
    kind,
    isEncrypted: scheme === "rediss",
    addresses: authorities.map((authority) => addressOf(authority, kind)),
    primaryName,
    database: Number(database.slice(1)),
    timeoutMs,
    hasPassword: login.password !== undefined || sentinelLogin.password !== undefined,
    login: () => login,
    sentinelLogin: () => sentinelLogin,
    toString: () => shown,
    toJSON: () => shown,
  });
}

function addressOf(authority: string, kind: StoreKind): StoreAddress {
  const [, host = "", port] = /^(.*?)(?::([0-9]+))?$/.exec(authority)!;
  const usual = kind === "sentinel" ? SENTINEL_PORT : REDIS_PORT;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port ?? usual) };
}

/** Options in the query of a URL. */
interface QueryOptions {
  readonly timeoutMs: number;
  readonly sentinelLogin: StoreLogin;
}

function readQuery(query: string, kind: StoreKind): QueryOptions | string {
  if (!isDecodable(query)) return "a URL whose query is percent-encoded";
  const given = new URLSearchParams(query);
  const known = ["timeout", ...(kind === "sentinel" ? LOGIN_OF_SENTINELS : [])];
  const names = [...given.keys()];
  if (new Set(names).size < names.length || !names.every((name) => known.includes(name))) {
    return `a URL whose query has only ${known.join(", ")}, and none twice`;
  }
  const timeout = given.get("timeout") ?? String(TIMEOUT_MS);
  const timeoutMs = /^[0-9]{1,5}$/.test(timeout) ? Number(timeout) : 0;
  if (timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    return `a URL whose timeout is a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`;
  }
  const [username, password] = LOGIN_OF_SENTINELS.map((name) => given.get(name) ?? "");
  return { timeoutMs, sentinelLogin: loginOf(username, password) };
}

const LOGIN_OF_SENTINELS = ["sentinel_username", "sentinel_password"] as const;

function loginOf(username = "", password = ""): StoreLogin {
  return { ...(username && { username }), ...(password && { password }) };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
