/**
 * What a service is set to.
 *
 * @module
 */

import type { StoreUrl } from "../guard/redis/store_url.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import type { OtpAlgorithm } from "../otp/totp.ts";
import type { HtmlForm } from "../operations/context.ts";

/** The options, each checked. */
export interface Config {
  /** The address to listen on. */
  readonly host: string;
  /** The port to listen on; 0 for one that is free. */
  readonly port: number;
  /** Whether other servers of this user may listen on the same port, and take their share. */
  readonly sharePort: boolean;
  /** The path of a unix socket to listen on instead; undefined for host and port. */
  readonly socket: string | undefined;
  /** The permission bits of that socket. */
  readonly socketMode: number;
  /** The file with the TLS certificate chain, PEM; undefined for plain HTTP. */
  readonly tlsCert: string | undefined;
  /** The file with the private key of the certificate, PEM. */
  readonly tlsKey: string | undefined;
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The public base URL without a slash at its end; undefined to take it from each request. */
  readonly baseUrl: string | undefined;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed. */
  readonly trustProxy: boolean;
  /** The file with the keys that callers must show; undefined when none must. */
  readonly apiKeysFile: string | undefined;
  /** Whether `/metrics` is answered. */
  readonly metrics: boolean;
  /** A port where health, readiness and metrics alone are answered; undefined for none, 0 for a free one. */
  readonly metricsPort: number | undefined;
  /** The address of that port. */
  readonly metricsHost: string;
  /** How lines of the log are written. */
  readonly logFormat: "text" | "json";
  /** Whether the server ends when its standard input does. */
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
  /** How a secretCode becomes key bytes. */
  readonly secretEncoding: SecretEncoding;
  /** Wrong pins for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
  /** Where failures and used codes are remembered: in this process, or in a store that is shared. */
  readonly guard: "memory" | StoreUrl;
  /** Secrets that the guard remembers in the memory of this process, at most. */
  readonly guardEntries: number;
  /** The file with the key by which secrets are named there; undefined for one drawn at start. */
  readonly guardKeyFile: string | undefined;
  /** The file with the authorities that the store's certificate must be from, PEM. */
  readonly guardTlsCa: string | undefined;
  /** The file with the certificate chain that is shown to the store, PEM. */
  readonly guardTlsCert: string | undefined;
  /** The file with the private key of that certificate, PEM. */
  readonly guardTlsKey: string | undefined;
}
