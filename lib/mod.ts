/**
 * Library of the authenticator: a function from a `Request` to a `Response`, and both operations.
 *
 * ```ts
 * import { createAuthenticator } from "@authenticator/service";
 *
 * export default createAuthenticator(); // for `deno serve` and `bun`
 * ```
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { createService } from "./config/create_service.ts";
import { checkOptions } from "./config/option.ts";
import { type Config, DEFAULTS, OPTIONS } from "./config/options.ts";
import type { Guard } from "./guard/guard.ts";
import { MIN_GUARD_KEY_BYTES } from "./guard/fingerprint.ts";
import { openGuard } from "./guard/open_guard.ts";
import { storeClause } from "./guard/redis/reasons.ts";
import { KeyRing, parseKeys, sealKeyOfCallers } from "./http/api_keys.ts";
import type { Telemetry } from "./http/handler_options.ts";
import type { CallContext, HtmlForm } from "./operations/context.ts";
import {
  Fault,
  type FaultCode,
  type FaultDetails,
  type HeaderBlockName,
} from "./operations/fault.ts";
import { type Operation, PAIR, type Result, SEAL, VALIDATE_PIN } from "./operations/operations.ts";
import type { Completed } from "./operations/facts.ts";
import type { PairArguments, PairingInfo } from "./operations/pair.ts";
import type { SealArguments } from "./operations/seal.ts";
import type { ValidatePinArguments } from "./operations/validate_pin.ts";
import type { SecretEncoding } from "./otp/secret.ts";
import type { OtpAlgorithm } from "./otp/totp.ts";
import type { ServicePage } from "./page/service_page.ts";
import { parseSealKeys, SealKeys } from "./sealing/seal_keys.ts";
import { KeyFileError } from "./system/key_file.ts";
import type { Outcome, RequestEvent } from "./telemetry/request_event.ts";

export { Fault };
export type {
  FaultCode,
  FaultDetails,
  HeaderBlockName,
  HtmlForm,
  OtpAlgorithm,
  Outcome,
  PairArguments,
  PairingInfo,
  RequestEvent,
  SealArguments,
  SecretEncoding,
  Telemetry,
  ValidatePinArguments,
};

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

/** Log of errors. */
export interface ErrorLog {
  /** Writes an error; `cause` is the thrown value, if there is one. */
  readonly error: (message: string, cause?: unknown) => void;
}

/** Parts of a service that the program around it can replace. */
export interface AuthenticatorParts {
  /** The clock: milliseconds since 1970-01-01T00:00:00Z; the system's unless given. */
  readonly now?: (() => number) | undefined;
  /** The log of unexpected errors, and of a store that fails; `console.error` unless given. */
  readonly log?: ErrorLog | undefined;
  /** The observer of finished requests. */
  readonly telemetry?: Telemetry | undefined;
  /** Whether the program takes new requests; while false, `/readyz` answers 503. */
  readonly isReady?: (() => boolean) | undefined;
  /** The text of `/metrics`; the route does not exist without it. */
  readonly metricsPage?: (() => string) | undefined;
  /** The service page for browsers; absent unless given. */
  readonly page?: ServicePage | undefined;
}

/** Service in this process. */
export interface Authenticator {
  /** Answers a request as a server does: SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST and JSON. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Answers probes, `/metrics` and `/guard/*`, which callers must not reach. */
  readonly operator: (request: Request) => Promise<Response>;
  /**
   * Checks a pin.
   *
   * @param args `source` names the user's side of the call, for instance its IP address: the guard
   * keeps checking pins of a known source while others guess.
   * @returns Whether the pin is the code of a time step in the window and the guard accepts it.
   * @throws {Fault} When an argument is missing, too long or malformed.
   * @throws {TypeError} When an argument is not a string.
   */
  readonly validatePin: (
    args: ValidatePinArguments & { readonly source?: string },
  ) => Promise<boolean>;
  /**
   * Makes the setup code and the Html with the QR code for an authenticator app.
   *
   * @throws {Fault} When an argument is missing, empty, too long or malformed.
   * @throws {TypeError} When an argument is not a string.
   */
  readonly pair: (args: PairArguments) => PairingInfo;
  /**
   * Seals a secret with the first of `sealKeys`, as `POST /seal` does; one that this key has sealed
   * comes back as it is.
   *
   * @returns A JWE (RFC 7516) in ASCII, which `validatePin` takes in place of the secret.
   * @throws {Fault} When the secretCode is missing, empty, too long or malformed, or is sealed and
   * cannot be opened.
   * @throws {TypeError} When it is not a string, or there are no `sealKeys`.
   */
  readonly seal: (args: SealArguments) => string;
  /** Closes the connections to the store of the guard. */
  readonly close: () => void;
}

/**
 * Makes a service.
 *
 * @throws {TypeError} When an option is unknown or has a wrong value.
 */
export function createAuthenticator(
  options: AuthenticatorOptions = {},
  parts: AuthenticatorParts = {},
): Authenticator {
  const { now = Date.now, log = CONSOLE, isReady = () => true, ...others } = parts;
  const { config, guardKey, keys: apiKeys, sealKeys } = checkedOptions(options);
  const guard = guardOf(config, guardKey, log);
  const service = createService(config, {
    ...others,
    now,
    log,
    isReady,
    pinGuard: guard,
    apiKeys,
    sealKeys,
  });
  const { handler, operatorHandler, context } = service;
  // The first calls wait for the store, which would refuse right pins until it is connected.
  const closed = Promise.withResolvers<void>();
  const ready = guard?.ready && Promise.race([guard.ready, closed.promise]);
  const base = (): string => {
    const { baseUrl } = config;
    if (baseUrl === undefined) throw new TypeError("pair needs baseUrl where html is image.");
    return baseUrl;
  };
  const resultNow = <R extends Result>(operation: Operation<R>, args: object): R => {
    const given = new Map(Object.entries(stringsOf(args)));
    return (operation.invoke(given, { ...context, base }) as Completed<R>).result;
  };
  return {
    fetch: ready === undefined
      ? handler
      : async (request: Request): Promise<Response> => (await ready, await handler(request)),
    operator: operatorHandler,
    validatePin: async (args) => {
      const { source, ...given } = stringsOf(args);
      await ready;
      const call: CallContext = { ...context, base, source: source || undefined };
      return (await VALIDATE_PIN.invoke(new Map(Object.entries(given)), call)).result;
    },
    pair: (args) => resultNow(PAIR, args),
    seal: (args) => resultNow(SEAL, args),
    close: () => {
      guard?.store.close();
      closed.resolve();
    },
  };
}

function stringsOf(args: object): { readonly [name: string]: string } {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (typeof value !== "string") throw new TypeError(`${name} must be a string.`);
  }
  return Object.fromEntries(given);
}

/** The rows of the table of options that the library has too. */
const SHARED = [
  "html",
  "window",
  "algorithm",
  "digits",
  "period",
  "secretEncoding",
  "maxFailures",
  "singleUse",
  "guard",
  "guardEntries",
  "namespace",
  "baseUrl",
  "trustProxy",
] as const;

/** Options of the library as the table has them; the URL of a store is a text here. */
type SharedOptions =
  & { readonly [Name in Exclude<typeof SHARED[number], "guard">]?: Config[Name] | undefined }
  & { readonly guard?: string | undefined };

/** The library's own options. */
type OwnOptions = Pick<AuthenticatorOptions, "guardKey" | "apiKeys" | "sealKeys">;

// Compares the written options with the table: a row that differs does not compile.
const asShared = (options: AuthenticatorOptions): SharedOptions & OwnOptions => options;
const asWritten = (options: SharedOptions & OwnOptions): AuthenticatorOptions => options;

interface CheckedOptions {
  readonly config: Config;
  readonly guardKey: Uint8Array | undefined;
  readonly keys: KeyRing | undefined;
  readonly sealKeys: SealKeys | undefined;
}

function checkedOptions(options: AuthenticatorOptions): CheckedOptions {
  const { guardKey, apiKeys, sealKeys, ...shared } = asWritten(asShared(options));
  const known: readonly string[] = SHARED;
  for (const name in shared) {
    if (!known.includes(name)) throw new TypeError(`There is no option ${name}.`);
  }
  const config = checkOptions(OPTIONS, shared, DEFAULTS);
  const isKey = guardKey instanceof Uint8Array && guardKey.length >= MIN_GUARD_KEY_BYTES;
  if (!isKey && (guardKey !== undefined || config.guard !== "memory")) {
    const reason = guardKey === undefined ? ", the same for all processes that share a store" : "";
    throw new TypeError(
      `guardKey must be ${MIN_GUARD_KEY_BYTES} random bytes or more in a Uint8Array${reason}.`,
    );
  }
  const keys = keysOf("apiKeys", apiKeys, parseKeys);
  const ofSecrets = keysOf("sealKeys", sealKeys, parseSealKeys);
  const doubled = sealKeyOfCallers(ofSecrets ?? [], keys ?? []);
  if (doubled !== undefined) {
    throw new TypeError(`sealKeys cannot be used: the key ${doubled} is one of apiKeys too.`);
  }
  return {
    config,
    guardKey,
    keys: keys && new KeyRing(keys),
    sealKeys: ofSecrets && new SealKeys(ofSecrets, randomBytes),
  };
}

const CONSOLE = {
  // deno-lint-ignore no-console
  error: (message: string, ...cause: readonly unknown[]): void => console.error(message, ...cause),
};

function guardOf(
  config: Config,
  guardKey: Uint8Array | undefined,
  log: ErrorLog,
): Guard | undefined {
  return openGuard({ ...config, guardKey, randomBytes, now: () => performance.now() }, {
    onStoreChange: (error) => {
      if (error === undefined) return;
      log.error(`The store of the guard, ${config.guard}, ${storeClause(error)}: pins are refused`);
    },
  });
}

function keysOf<Key>(
  option: keyof AuthenticatorOptions,
  lines: readonly string[] | undefined,
  parse: (text: string) => readonly Key[],
): readonly Key[] | undefined {
  if (lines === undefined) return undefined;
  if (!Array.isArray(lines)) throw new TypeError(`${option} must be an array of strings.`);
  for (const [i, line] of lines.entries()) {
    if (typeof line !== "string" || !/^[^#\r\n][^\r\n]*$/.test(line)) {
      throw new TypeError(`${option} cannot be used: line ${i + 1} must be one key.`);
    }
  }
  try {
    return parse(lines.join("\n"));
  } catch (error) {
    if (error instanceof KeyFileError) {
      throw new TypeError(`${option} cannot be used: ${error.message}.`);
    }
    throw error;
  }
}
