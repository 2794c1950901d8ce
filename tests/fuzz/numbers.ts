/** A case of a run by its number: everything random in it comes from the seed and that number. */

import { type Random, seededRandom } from "../support/random.ts";

/** The generator of a case, so that it can be made again without those before it. */
export function caseRandom(seed: number, number: number): Random {
  return seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca77));
}

/**
 * Reads options that are numbers, `--name 5`.
 *
 * @throws {TypeError} When an option is none of these, or its value no whole number.
 */
export function readNumbers<Name extends string>(
  args: readonly string[],
  defaults: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const numbers: Record<Name, number> = { ...defaults };
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i]!.replace(/^--/, "") as Name;
    if (!Object.hasOwn(defaults, name) || !/^\d+$/.test(args[i + 1] ?? "")) {
      throw new TypeError(
        `the options are ${Object.keys(defaults).map((n) => `--${n} N`).join(" ")}`,
      );
    }
    numbers[name] = Number(args[i + 1]);
  }
  return numbers;
}
