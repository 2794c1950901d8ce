/**
 * Library of the authenticator: a function from a `Request` to a `Response`, and the operations.
 *
 * ```ts
 * import { createAuthenticator } from "@authenticator/service";
 *
 * export default createAuthenticator(); // for `deno serve` and `bun`
 * ```
 *
 * @module
 */

import { randomBytes, randomUUID } from "node:crypto";
import process from "node:process";
import { createService } from "./config/create_service.ts";
import type { Guard } from "./guard/guard.ts";
import { openGuard } from "./guard/open_guard.ts";
import { findingText } from "./guard/redis/findings.ts";
import { storeClause } from "./guard/redis/reasons.ts";
import type { Handler } from "./http/handler.ts";
import type { Telemetry } from "./http/handler_options.ts";
import { Calls, stringsOf } from "./library/calls.ts";
import { type CheckedOptions, checkedOptions, checkedParts } from "./library/check_options.ts";
import { Lifetime } from "./library/lifetime.ts";
import type {
  AuthenticatorOptions,
  AuthenticatorParts,
  ErrorLog,
  LibraryTelemetry,
  RenewableText,
} from "./library/authenticator_options.ts";
import { type PinCheck, pinCheckOf } from "./library/pin_check.ts";
import type { CallContext, HtmlForm } from "./operations/context.ts";
import type { CallFacts, Completed } from "./operations/facts.ts";
import {
  Fault,
  type FaultCode,
  type FaultDetails,
  type HeaderBlockName,
} from "./operations/fault.ts";
import {
  type Operation,
  PAIR,
  type Result,
  SEAL,
  type SealArguments,
  VALIDATE_PIN,
} from "./operations/operations.ts";
import type { PairArguments, PairingInfo } from "./operations/pair.ts";
import type { ValidatePinArguments } from "./operations/validate_pin.ts";
import type { SecretEncoding } from "./otp/secret.ts";
import type { OtpAlgorithm } from "./otp/totp.ts";
import type { Outcome, RequestEvent } from "./telemetry/request_event.ts";

export { Fault };
export type {
  AuthenticatorOptions,
  AuthenticatorParts,
  CallFacts,
  ErrorLog,
  FaultCode,
  FaultDetails,
  HeaderBlockName,
  HtmlForm,
  LibraryTelemetry,
  OtpAlgorithm,
  Outcome,
  PairArguments,
  PairingInfo,
  PinCheck,
  RenewableText,
  RequestEvent,
  SealArguments,
  SecretEncoding,
  ValidatePinArguments,
};

/** Arguments of a check of a pin. */
export interface CheckPinArguments extends ValidatePinArguments {
  /**
   * The user's side of the call, for instance its IP address: the guard keeps checking pins of a known
   * source while others guess.
   */
  readonly source?: string | undefined;
}

/** Service in this process. */
export interface Authenticator {
  /**
   * Answers a request as a server does: SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST and JSON. After
   * `close`, it answers 503, except for `/healthz`.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Answers the requests of the operator port: probes, `/metrics` and `/guard/*`. Callers must not
   * reach it.
   */
  readonly operatorFetch: (request: Request) => Promise<Response>;
  /**
   * Checks a pin. `checkPin` says more about a false.
   *
   * @returns Whether the pin is the code of a time step in the window and the guard accepts it.
   * @throws {Fault} When an argument is missing, too long or malformed, or the service is closed.
   * @throws {TypeError} When an argument is unknown or not a string.
   */
  readonly validatePin: (args: CheckPinArguments) => Promise<boolean>;
  /**
   * Checks a pin, and says why it is not accepted. Show your users no more than whether it was.
   *
   * @throws {Fault} When an argument is missing, too long or malformed, or the service is closed.
   * @throws {TypeError} When an argument is unknown or not a string.
   */
  readonly checkPin: (args: CheckPinArguments) => Promise<PinCheck>;
  /**
   * Makes the setup code and the Html with the QR code for an authenticator app.
   *
   * @throws {Fault} When an argument is missing, empty, too long or malformed, or the service is
   * closed.
   * @throws {TypeError} When an argument is unknown or not a string.
   */
  readonly pair: (args: PairArguments) => PairingInfo;
  /**
   * Seals a secret with the first of `sealKeys`, as `POST /seal` does; one that this key has sealed
   * comes back as it is.
   *
   * @returns A JWE (RFC 7516) in ASCII, which `validatePin` takes in place of the secret.
   * @throws {Fault} When the secretCode is missing, empty, too long or malformed, is sealed and cannot
   * be opened, or the service is closed.
   * @throws {TypeError} When it is not a string, or there are no `sealKeys`.
   */
  readonly seal: (args: SealArguments) => string;
  /**
   * Takes no new calls, waits for those in flight, for ten seconds at most, and closes the connections
   * to the store of the guard. A second call does no more.
   */
  readonly close: () => Promise<void>;
  /** The same as `close`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** The oldest Node that has what the library uses. */
const MIN_NODE = 22;

/**
 * Makes a service.
 *
 * @throws {TypeError} When an option or a part is unknown or has a wrong value.
 * @throws {Error} When Node is older than version 22.
 */
export function createAuthenticator(
  options: AuthenticatorOptions = {},
  parts: AuthenticatorParts = {},
): Authenticator {
  checkEngine(process.versions.node);
  const checked = checkedOptions(options);
  const { config, apiKeys, sealKeys } = checked;
  const { now = Date.now, log = CONSOLE, isReady = () => true, ...others } = checkedParts(parts);
  const telemetry = others.telemetry && telemetryOf(others.telemetry);
  for (const risk of checked.risks) log.warn === undefined ? log.error(risk) : log.warn(risk);
  const guard = guardOf(checked, now, log);
  const released = Promise.withResolvers<void>();
  const lifetime = new Lifetime(() => {
    guard?.shared?.close();
    released.resolve();
  });
  const service = createService(config, {
    ...others,
    telemetry,
    now: () => checkedTime(now()),
    log,
    isReady: () => !lifetime.isClosed && isReady(),
    isClosed: () => lifetime.isClosed,
    // The first checks wait for the store, which would refuse right pins until it is connected.
    storeReady: guard?.shared && Promise.race([guard.shared.ready, released.promise]),
    pinGuard: guard,
    apiKeys,
    sealKeys,
  });
  const { handler, operatorHandler, context } = service;
  const calls = new Calls(telemetry);
  const base = (): string => {
    const { baseUrl } = config;
    if (baseUrl === undefined) throw new TypeError("pair needs baseUrl where html is image.");
    return baseUrl;
  };
  // A mistake in the arguments is no call, and has no event.
  const check = async (method: string, args: CheckPinArguments): Promise<Completed<boolean>> => {
    const given = stringsOf(method, [...namesOf(VALIDATE_PIN), "source"], args);
    const source = given.get("source") || undefined;
    const call: CallContext = { ...context, base, source };
    return await calls.later(VALIDATE_PIN, async () => {
      lifetime.check();
      return await lifetime.during(Promise.resolve(VALIDATE_PIN.invoke(given, call)));
    });
  };
  const callNow = <R extends Result>(operation: Operation<R>, method: string, args: object): R => {
    const given = stringsOf(method, namesOf(operation), args);
    return calls.now(operation, () => {
      lifetime.check();
      return operation.invoke(given, { ...context, base }) as Completed<R>;
    });
  };
  const answer = (method: string, handle: Handler): Handler => async (request) => {
    checkRequest(method, request);
    return await lifetime.during(handle(request));
  };
  const close = (): Promise<void> => lifetime.close();
  return {
    fetch: answer("fetch", handler),
    operatorFetch: answer("operatorFetch", operatorHandler),
    validatePin: async (args) => (await check("validatePin", args)).result,
    checkPin: async (args) => pinCheckOf(await check("checkPin", args)),
    pair: (args) => callNow(PAIR, "pair", args),
    seal: (args) => callNow(SEAL, "seal", args),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function namesOf({ parameters }: Operation): readonly string[] {
  return parameters.map(({ name }) => name);
}

function checkEngine(version: string): void {
  if (parseInt(version) >= MIN_NODE) return;
  throw new Error(`@authenticator/service needs Node ${MIN_NODE} or later: this is ${version}.`);
}

// Frameworks have classes of their own for requests.
function checkRequest(method: string, request: Partial<Request> | undefined): void {
  const { url, method: sent, headers } = request ?? {};
  if ([url, sent].every((text) => typeof text === "string") && typeof headers?.get === "function") {
    return;
  }
  throw new TypeError(`The argument of ${method}() must be a Request.`);
}

// A Date, or the seconds of another library, would make every pin wrong or every call fail.
function checkedTime(ms: number): number {
  if (Number.isFinite(ms)) return ms;
  throw new TypeError("now must return a number: milliseconds since 1970-01-01T00:00:00Z.");
}

const CONSOLE: ErrorLog = {
  // deno-lint-ignore no-console
  error: (message: string, ...cause: readonly unknown[]): void => console.error(message, ...cause),
  // deno-lint-ignore no-console
  warn: (message: string): void => console.warn(message),
};

function telemetryOf(given: LibraryTelemetry): Telemetry {
  return {
    // An asynchronous observer that fails would end the process.
    observe: (event) => void Promise.resolve(given.observe(event)).catch(() => {}),
    requestId: () => given.requestId?.() ?? randomUUID(),
    monotonicMs: () => given.monotonicMs?.() ?? performance.now(),
    peer: (request) => given.peer?.(request),
  };
}

function guardOf(
  { config, guardKey, readFiles }: CheckedOptions,
  now: () => number,
  log: ErrorLog,
): Guard | undefined {
  const settings = {
    ...config,
    guardKey,
    randomBytes,
    now,
    monotonicMs: () => performance.now(),
    readFiles: () =>
      readFiles((option, error) =>
        log.error(`${option} cannot be read again: the last text is used`, error)
      ),
  };
  const store = `the store of the guard, ${config.guard},`;
  const warn = (message: string): void =>
    log.warn === undefined ? log.error(message) : log.warn(message);
  let isFull = false;
  return openGuard(settings, {
    onStoreChange: (error) => {
      if (error !== undefined) log.error(`${store} ${storeClause(error)}: pins are refused`);
    },
    onWatchChange: (error) => {
      if (error !== undefined) warn(`${store} is not watched: ${storeClause(error)}`);
    },
    // A full store evicts again and again: one line says so.
    onFinding: (finding) => {
      if (finding.kind !== "evictions") warn(findingText(store, finding));
      else if (!isFull) {
        isFull = true;
        warn(findingText(store, finding));
      }
    },
  });
}
