/**
 * Where a shared store is.
 *
 * @module
 */

/** The URL of a store, which shows its user name and password only when told to. */
export class StoreUrl {
  readonly #url: URL;

  private constructor(url: URL) {
    this.#url = url;
  }

  /**
   * Reads a URL of the scheme `redis`, or `rediss` for TLS, as they are registered with IANA: host,
   * port, user name, password, and the number of a database as the path.
   *
   * @returns undefined when the text is none.
   */
  static parse(text: string): StoreUrl | undefined {
    if (!/^rediss?:\/\/[^\s/?#]/.test(text) || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    const isWhole = url.hostname !== "" && url.search === "" && url.hash === "" &&
      /^(?:\/[0-9]*)?$/.test(url.pathname) && isDecodable(url.username + url.password);
    return isWhole ? new StoreUrl(url) : undefined;
  }

  /** The URL with user name and password. */
  reveal(): string {
    return this.#url.href;
  }

  /** Whether the way to the store is encrypted. */
  get isEncrypted(): boolean {
    return this.#url.protocol === "rediss:";
  }

  /** Whether the store is on this machine. */
  get isLocal(): boolean {
    return /^(?:127(?:\.[0-9]{1,3}){3}|\[::1\]|localhost)$/.test(this.#url.hostname);
  }

  /** The URL without user name and password. */
  toString(): string {
    return `${this.#url.protocol}//${this.#url.host}${this.#url.pathname}`;
  }

  /** The URL without user name and password. */
  toJSON(): string {
    return this.toString();
  }
}

// The client decodes the two on its own, and an error of its would quote them.
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
