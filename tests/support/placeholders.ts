/**
 * Fills in the placeholders of an exchange: what depends on the clock, and what is long.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { OPERATIONS } from "../../lib/operations/operations.ts";
import { codeOutside, referenceHotp, type ReferenceOptions } from "./reference_totp.ts";

/** What pins depend on beside the secret. */
export interface PinClock extends ReferenceOptions {
  /** Seconds in a time step. */
  readonly period: number;
  /** Steps accepted on each side of now, so that a wrong pin can keep away from them. */
  readonly window: number;
  /** The time, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}

const PIN = /\{\{([a-z-]*pin[a-z-]*) ("(?:[^"\\]|\\.)*"|[^ }]+)(?: ([+-]\d+))?\}\}/g;
const REPEAT = /\{\{(repeat|number) ("(?:[^"\\]|\\.)*"|[^ ]+) (\d+)\}\}/g;

// The digit zero of the blocks that a pin is moved to.
const FULL_WIDTH_ZERO = 0xff10;
const ARABIC_INDIC_ZERO = 0x0660;

// Faults list the operations. A new one needs no change in the exchanges.
const NAMES = [...OPERATIONS.keys()];

const PIN_FORMS: ReadonlyMap<string, (pin: string) => string> = new Map([
  ["pin", (pin: string) => pin],
  ["pin-head", (pin: string) => pin.slice(0, 3)],
  ["pin-tail", (pin: string) => pin.slice(3)],
  ["pin-full-width", (pin: string) => moveDigits(pin, FULL_WIDTH_ZERO)],
  ["pin-arabic-indic", (pin: string) => moveDigits(pin, ARABIC_INDIC_ZERO)],
]);

/**
 * Fills in pins, repetitions, fields of the reply before, and the operations: all but
 * `{{any}}`, `{{qr VERSION-LEVEL}}` and `{{fill N}}`.
 *
 * @throws {SyntaxError} When there is any other.
 */
export function fillIn(
  text: string,
  clock: PinClock,
  earlier: (name: string) => string,
): string {
  const filled = text
    .replace(PIN, (_, form: string, secret: string, offset = "0") => {
      const key = keyOf(unquote(secret));
      if (form === "wrong-pin") return wrongPin(key, clock);
      const write = PIN_FORMS.get(form);
      if (write === undefined) throw new SyntaxError(`There is no placeholder ${form}`);
      return write(pinOf(key, Number(offset), clock));
    })
    .replace(REPEAT, (_, kind: string, quoted: string, count: string) => {
      const piece = unquote(quoted);
      const pieces = Array.from(
        { length: Number(count) },
        (_, i) => kind === "repeat" ? piece : piece.replaceAll("#", String(i + 1)),
      );
      return pieces.join("");
    })
    .replace(/\{\{earlier ([A-Za-z-]+)\}\}/g, (_, name: string) => earlier(name))
    .replaceAll("{{operations}}", NAMES.join(" or "))
    .replaceAll("{{paths}}", NAMES.map((name) => `/api.asmx/${name}`).toReversed().join(" or "));
  const unknown = /\{\{(?!any\}\}|qr \d+-[LM]\}\}|fill \d+\}\}).*/.exec(filled)?.[0];
  if (unknown !== undefined) throw new SyntaxError(`There is no placeholder ${unknown}`);
  return filled;
}

/** Puts as many blanks for `{{fill N}}` as make the bytes N. */
export function fillUp(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes).toString("latin1");
  const [all, length] = /\{\{fill (\d+)\}\}/.exec(text) ?? [];
  if (all === undefined) return new Uint8Array(bytes);
  const blanks = " ".repeat(Number(length) - (text.length - all.length));
  return new Uint8Array(Buffer.from(text.replace(all, blanks), "latin1"));
}

function unquote(text: string): string {
  return text.startsWith('"') ? JSON.parse(text) as string : text;
}

// The key of a secret as the service takes it by default: its UTF-8; or bytes, as `hex:48656c6c6f`.
function keyOf(secret: string): Uint8Array {
  return secret.startsWith("hex:")
    ? Buffer.from(secret.slice("hex:".length), "hex")
    : Buffer.from(secret, "utf8");
}

function pinOf(key: Uint8Array, offset: number, clock: PinClock): string {
  const step = Math.floor(clock.now() / 1000 / clock.period);
  return referenceHotp(key, step + offset, clock);
}

// One step more on each side, should the time step change on the way.
function wrongPin(key: Uint8Array, clock: PinClock): string {
  const right = Array.from(
    { length: 2 * clock.window + 3 },
    (_, i) => pinOf(key, i - clock.window - 1, clock),
  );
  return codeOutside(right, clock.digits);
}

function moveDigits(pin: string, zero: number): string {
  return pin.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}
