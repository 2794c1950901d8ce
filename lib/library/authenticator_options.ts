/**
 * Options and parts of the library.
 *
 * @module
 */

import type { HtmlForm } from "../operations/context.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import type { OtpAlgorithm } from "../otp/totp.ts";
import type { ServicePage } from "../page/service_page.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";

/** A text, or a function that returns it and is called for each connection to the store. */
export type RenewableText = string | (() => string);

/** Options of the library, with the names and defaults of the command `serve`. */
export interface AuthenticatorOptions {
  /** The form of the Html of a pairing; `svg` unless given. */
  readonly html?: HtmlForm | undefined;
  /** Time steps accepted on each side of the current one, 0 to 100; 1 unless given. */
  readonly window?: number | undefined;
  /** The hash of the codes; `SHA1` unless given, since many apps know no other. */
  readonly algorithm?: OtpAlgorithm | undefined;
  /** Digits in a code, 6 to 8; 6 unless given. */
  readonly digits?: number | undefined;
  /** Seconds in a time step, 1 to 3600; 30 unless given. */
  readonly period?: number | undefined;
  /** The encoding of a secretCode; `text` unless given: the key is its UTF-8 bytes. */
  readonly secretEncoding?: SecretEncoding | undefined;
  /** Wrong pins for a secret before throttling; 100 unless given, 0 for no throttling. */
  readonly maxFailures?: number | undefined;
  /** Whether a code is accepted once only; false unless given. */
  readonly singleUse?: boolean | undefined;
  /** The store of wrong pins: `memory` unless given, or the URL of a Redis, Sentinel or Cluster. */
  readonly guard?: string | undefined;
  /** Maximum number of secrets of a guard in memory; 100,000 unless given. */
  readonly guardEntries?: number | undefined;
  /** The key of fingerprints, at least 32 random bytes; required with a store, else drawn. */
  readonly guardKey?: Uint8Array | undefined;
  /** Password of the store, in place of one in its URL. */
  readonly guardPassword?: RenewableText | undefined;
  /** CA certificates to trust for a rediss:// store, in PEM; the system's unless given. */
  readonly guardTlsCa?: RenewableText | undefined;
  /** Client certificate chain for a rediss:// store, in PEM. */
  readonly guardTlsCert?: RenewableText | undefined;
  /** Private key of the client certificate, in PEM. */
  readonly guardTlsKey?: RenewableText | undefined;
  /** API keys of callers, each as a line of `--api-keys-file`; callers need no key unless given. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Keys of sealed secrets, each as a line of `--seal-keys-file`; none is opened unless given. */
  readonly sealKeys?: readonly string[] | undefined;
  /** The XML namespace of the service: an absolute URI that ends with a slash. */
  readonly namespace?: string | undefined;
  /** The public base URL in the WSDL and in picture links; by default that of each request. */
  readonly baseUrl?: string | undefined;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted; false unless given. */
  readonly trustProxy?: boolean | undefined;
}

/** Log of errors and warnings. */
export interface ErrorLog {
  /** Writes an error; `cause` is the thrown value, if there is one. */
  readonly error: (message: string, cause?: unknown) => void;
  /** Writes a warning; `error` does unless given. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Observer of finished requests and calls; ids and clock are the library's unless given. */
export interface LibraryTelemetry {
  /** Called with the event of each answered request, and of each call by method. */
  readonly observe: (event: RequestEvent) => void;
  /** Returns the address of a request's caller; absent unless the events are to have it. */
  readonly peer?: ((request: Request) => string | undefined) | undefined;
  /** Makes a request id, which the reply carries as `X-Request-Id`. */
  readonly requestId?: (() => string) | undefined;
  /** Monotonic clock for durations, in milliseconds. */
  readonly monotonicMs?: (() => number) | undefined;
}

/** Parts of a service that the program around it can replace. */
export interface AuthenticatorParts {
  /** The clock: milliseconds since 1970-01-01T00:00:00Z; the system's unless given. */
  readonly now?: (() => number) | undefined;
  /** The log of unexpected errors, risky options, and a store that fails; `console` unless given. */
  readonly log?: ErrorLog | undefined;
  /** The observer of finished requests and of calls by method. */
  readonly telemetry?: LibraryTelemetry | undefined;
  /** Whether the program takes new requests; while false, `/readyz` answers 503. */
  readonly isReady?: (() => boolean) | undefined;
  /** The text of `/metrics`; the route does not exist without it. */
  readonly metricsPage?: (() => string) | undefined;
  /** The service page for browsers; absent unless given. */
  readonly page?: ServicePage | undefined;
}
