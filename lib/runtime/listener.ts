/**
 * What a runtime gives: a socket that is listened on, and the reasons why there is none.
 *
 * @module
 */

/** Where to listen. */
export interface ListenOptions {
  /** An address of this machine, or a name that resolves to one. */
  readonly hostname: string;
  /** A port, or 0 for one that is free. */
  readonly port: number;
}

/** A server that listens. */
export interface Listener {
  /** Where: the address and port chosen. */
  readonly url: string;
  /** Stops accepting, lets running requests finish, and then resolves. */
  readonly stop: () => Promise<void>;
}

// By the name of the error, which both runtimes take from the system's error code.
const REASONS: ReadonlyMap<string, string> = new Map([
  ["AddrInUse", "the port is in use by another program"],
  ["AddrNotAvailable", "the address is not one of this machine"],
  ["PermissionDenied", "this user may not listen on that port"],
]);

/** The address cannot be listened on. */
export class ListenError extends Error {
  /**
   * Makes an error whose message is a clause for a person.
   *
   * @param options Where it was tried.
   * @param reason The name of the error that the runtime gave.
   */
  constructor({ hostname, port }: ListenOptions, reason: string) {
    const why = REASONS.get(reason) ?? "the address cannot be used";
    super(`cannot listen on ${hostname}, port ${port}: ${why}`);
    this.name = "ListenError";
  }
}
