/**
 * Status of a server, for its operator.
 *
 * @module
 */

import type { SecretForm } from "../sealing/seal_keys.ts";

/** Number of secrets whose pins were checked since the start, by form. */
export type CheckedSecrets = Readonly<Record<SecretForm, number>>;

/** State of the guard's memory. */
export interface GuardStatus {
  /** Number of secrets remembered. */
  readonly entries: number;
  /** Number of secrets throttled now. */
  readonly throttled: number;
}

/** Status of a server. */
export interface ServerStatus {
  /** Faults, as clauses; empty when the server is healthy. */
  readonly problems: readonly string[];
  /** The version of the program. */
  readonly version: string;
  /** Start of the process, as an ISO time. */
  readonly since: string;
  /** The address of callers, as a URL; undefined before the server listens. */
  readonly address: string | undefined;
  /** Protections, on or off, as clauses. */
  readonly protections: readonly string[];
  /** End of the certificate, as an ISO time; undefined without TLS. */
  readonly certificateUntil: string | undefined;
  /** The name of each API key, null for one without; undefined when callers need no key. */
  readonly keys: readonly (string | null)[] | undefined;
  /** The names of the keys of sealed secrets, the one that seals first; undefined without keys. */
  readonly sealKeys: readonly string[] | undefined;
  /** Secrets whose pins were checked, by form; undefined without metrics. */
  readonly secrets: CheckedSecrets | undefined;
  /** The latest reading of certificate and keys; undefined before the first. */
  readonly reload: { readonly at: string; readonly lines: readonly string[] } | undefined;
  /** The store of the guard: `memory`, its URL without the password, or `off`. */
  readonly store: string;
  /** The name of the guard's key; undefined without a file of it. */
  readonly guardKey: string | undefined;
  /** Counts of a guard in memory. */
  readonly guard: GuardStatus | undefined;
}
