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

interface Parts {
  readonly scheme: string;
  readonly kind: StoreKind;
  readonly login: string;
  readonly addresses: readonly string[];
  readonly path: string;
  readonly primaryName: string;
  readonly database: string;
  readonly timeoutMs: number;
  readonly sentinelLogin: string;
}

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

/** URL of a store; its text omits user name, password and query. */
export class StoreUrl {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
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
   * @returns undefined when the text is no such URL.
   */
  static parse(text: string): StoreUrl | undefined {
    const read = readUrl(text);
    return typeof read === "object" ? new StoreUrl(read) : undefined;
  }

  /**
   * Returns the requirement that a text with such a scheme fails, to follow "must be". The
   * requirement quotes no part of the text.
   *
   * @returns undefined when the text is a valid URL of a store, or has another form.
   */
  static parseError(text: string): string | undefined {
    const read = readUrl(text);
    return typeof read === "string" ? read : undefined;
  }

  /** The kind of the servers at the addresses. */
  get kind(): StoreKind {
    return this.#parts.kind;
  }

  /** The Sentinels' name of the primary; empty without Sentinels. */
  get primaryName(): string {
    return this.#parts.primaryName;
  }

  /** The timeout of a reply, in milliseconds. */
  get timeoutMs(): number {
    return this.#parts.timeoutMs;
  }

  /** The addresses, with the default port of their kind where the URL has no port. */
  get addresses(): readonly StoreAddress[] {
    const { kind, addresses } = this.#parts;
    const port = kind === "sentinel" ? SENTINEL_PORT : REDIS_PORT;
    return addresses.map((address) => {
      const [, host = "", given] = /^(.*?)(?::([0-9]+))?$/.exec(address)!;
      return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(given ?? port) };
    });
  }

  /** The user name and the password of the servers that keep keys. */
  get login(): StoreLogin {
    return loginIn(this.#parts.login);
  }

  /** The user name and the password of the Sentinels. */
  get sentinelLogin(): StoreLogin {
    return loginIn(this.#parts.sentinelLogin);
  }

  /** The number of the database. */
  get database(): number {
    return Number(this.#parts.database.slice(1));
  }

  /** Whether the connection to the store is encrypted. */
  get isEncrypted(): boolean {
    return this.#parts.scheme === "rediss";
  }

  /** Hosts and ports of the store, as written; IPv6 addresses in brackets. */
  get authorities(): readonly string[] {
    return this.#parts.addresses;
  }

  /** Whether the URL has a password. */
  get hasPassword(): boolean {
    return [this.#parts.login, this.#parts.sentinelLogin].some((login) => /:.+@$/.test(login));
  }

  /** Returns the URL without user name, password and query. */
  toString(): string {
    const { scheme, kind, addresses, path } = this.#parts;
    return `${scheme}${kind === "server" ? "" : `+${kind}`}://${addresses.join(",")}${path}`;
  }

  /** Returns the URL without user name, password and query. */
  toJSON(): string {
    return this.toString();
  }
}

/**
 * Whether a text is an address: a host name in ASCII (RFC 1035 §2.3.4) or an IP address, optionally
 * with a port up to 65535.
 */
export function isAddress(text: string): boolean {
  return /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?$/.test(text) &&
    URL.canParse(`redis://${text}`);
}

function loginIn(login: string): StoreLogin {
  const [, username = "", password = ""] =
    /^([^:]*):?(.*)@$/.exec(login)?.map(decodeURIComponent) ??
      [];
  return { ...(username && { username }), ...(password && { password }) };
}

function loginOf(text: string): string {
  return text === "" || text === ":" ? "" : `${text}@`;
}

/**
 * Returns the parts of a URL, or the requirement that it fails; undefined for another form of text.
 */
function readUrl(text: string): Parts | string | undefined {
  const [, scheme, suffix, login = "", hosts, path = "", query = ""] = URL_OF_STORE.exec(text) ??
    [];
  if (scheme === undefined) {
    // A password with one of these characters ends where the address is expected.
    return /^rediss?(?:\+\w+)?:\/\/.*@/.test(text) ? WANTED_LOGIN : undefined;
  }
  const addresses = hosts!.split(",");
  const isAddressed = addresses.every(isAddress);
  if (path.includes("@") || !isAddressed && query.includes("@")) return WANTED_LOGIN;
  const kind = (suffix ?? "server") as StoreKind;
  const [, primaryName, database = ""] = PATHS[kind].exec(path) ?? [];
  if (primaryName === undefined) return WANTED_PATHS[kind];
  const most = kind === "server" ? 1 : 100;
  if (addresses.length > most) {
    return most === 1 ? "a URL of redis with one address" : `a URL with at most ${most} addresses`;
  }
  if (!isDecodable(login)) return WANTED_LOGIN;
  if (!isAddressed) return "a URL with an address such as host:6379";
  const asked = readQuery(query, kind);
  if (typeof asked === "string") return asked;
  const said = { scheme, kind, login: loginOf(login), addresses, path, primaryName, database };
  return { ...said, ...asked };
}

function readQuery(
  query: string,
  kind: StoreKind,
): Pick<Parts, "timeoutMs" | "sentinelLogin"> | string {
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
  const [user, password] = LOGIN_OF_SENTINELS.map((name) =>
    encodeURIComponent(given.get(name) ?? "")
  );
  return { timeoutMs, sentinelLogin: loginOf(`${user}:${password}`) };
}

const LOGIN_OF_SENTINELS = ["sentinel_username", "sentinel_password"] as const;

// The client decodes user name and password itself, and its error would quote them.
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
