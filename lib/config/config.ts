/**
 * Configuration of a service.
 *
 * @module
 */

import type { StoreUrl } from "../guard/redis/store_url.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import type { OtpAlgorithm } from "../otp/totp.ts";
import type { HtmlForm } from "../operations/context.ts";

/** Checked options of a service. */
export interface Config {
  /** The address to listen on. */
  readonly host: string;
  /** The port to listen on; 0 for a free one. */
  readonly port: number;
  /** Whether other servers of this user may share the port and its load. */
  readonly sharePort: boolean;
  /** The path of a unix socket to listen on instead; undefined for host and port. */
  readonly socket: string | undefined;
  /** The permission bits of the unix socket. */
  readonly socketMode: number;
  /** The file with the TLS certificate chain, PEM; undefined for plain HTTP. */
  readonly tlsCert: string | undefined;
  /** The file with the private key of the certificate, PEM. */
  readonly tlsKey: string | undefined;
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The public base URL without a slash at its end; undefined to take it from each request. */
  readonly baseUrl: string | undefined;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted. */
  readonly trustProxy: boolean;
  /** The file with the API keys; undefined when callers need no key. */
  readonly apiKeysFile: string | undefined;
  /** Whether `/metrics` is served. */
  readonly metrics: boolean;
  /** The operator port, for health and metrics; undefined without one, 0 for a free one. */
  readonly metricsPort: number | undefined;
  /** The address of the operator port. */
  readonly metricsHost: string;
  /** The format of log lines. */
  readonly logFormat: "text" | "json";
  /** Whether the log has the IP addresses of callers. */
  readonly logPeer: boolean;
  /** Whether the log has successful probes and scrapes. */
  readonly logProbes: boolean;
  /** Whether the server stops at the end of its standard input. */
  readonly exitWithParent: boolean;
  /** The form of the Html of a pairing. */
  readonly html: HtmlForm;
  /** Time steps accepted on each side of the current one. */
  readonly window: number;
  /** The hash of the codes. */
  readonly algorithm: OtpAlgorithm;
  /** Digits in a code. */
  readonly digits: number;
  /** Seconds in a time step. */
  readonly period: number;
  /** The encoding of a secretCode. */
  readonly secretEncoding: SecretEncoding;
  /** Wrong pins for a secret before throttling; 0 for no throttling. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
  /** The store of failures and used codes: the memory of this process, or a shared store's URL. */
  readonly guard: "memory" | StoreUrl;
  /** Maximum number of secrets in each table of a guard in memory. */
  readonly guardEntries: number;
  /** The file with the key of fingerprints; undefined for one drawn at start. */
  readonly guardKeyFile: string | undefined;
  /** The file with the password of the store. */
  readonly guardPasswordFile: string | undefined;
  /** The file with the CA certificates to trust for the store, PEM. */
  readonly guardTlsCa: string | undefined;
  /** The file with the client certificate chain for the store, PEM. */
  readonly guardTlsCert: string | undefined;
  /** The file with the private key of the client certificate, PEM. */
  readonly guardTlsKey: string | undefined;
}
