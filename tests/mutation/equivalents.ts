/**
 * Mutants that no test can kill, since they change nothing that anybody can see.
 *
 * @module
 */

/** Mutants of one kind in one place. */
export interface Equivalent {
  /** The file. */
  readonly file: string;
  /** What the mutant replaces, as it stands in the file. */
  readonly original: string;
  /** What it puts there; left out for whatever Stryker puts there. */
  readonly replacement?: string;
  /** Why nobody can see it. */
  readonly reason: string;
}

const SAME_CODE = "a text that is no code of so many digits equals none that is computed; " +
  "the check spares the computing";

/** The list. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: "lib/otp/totp.ts",
    original: "code.length !== digits || !/^[0-9]+$/.test(code)",
    replacement: "false",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "code.length !== digits || !/^[0-9]+$/.test(code)",
    replacement: "code.length !== digits && !/^[0-9]+$/.test(code)",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "code.length !== digits",
    replacement: "false",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "/^[0-9]+$/",
    replacement: "/[0-9]+$/",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "/^[0-9]+$/",
    replacement: "/^[0-9]+/",
    reason: SAME_CODE,
  },
  {
    file: "lib/otp/totp.ts",
    original: "nearest < 0",
    replacement: "false",
    reason: "an array has undefined at index -1 too",
  },
  {
    file: "lib/otp/totp.ts",
    original: "i < a.length",
    replacement: "i <= a.length",
    reason: "behind the end of both texts stands NaN, and NaN ^ NaN is 0",
  },
  {
    file: "lib/otp/secret.ts",
    original: "/=+$/",
    replacement: "/=+/",
    reason: "Base32 has equals signs at its end alone",
  },
];
