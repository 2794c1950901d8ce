/** Codes from oathtool, of the OATH Toolkit. */

import { run } from "../../support/client_program.ts";

const PERIOD_MS = 30_000;

/** The time step that it is now, at the parameters that a server has by default. */
export function currentStep(): number {
  return Math.floor(Date.now() / PERIOD_MS);
}

/** The code of a time step. */
export async function codeOf(secret: string, step: number): Promise<string> {
  return (await codesFrom(secret, step, 1))[0]!;
}

/** The code that an app shows now that was given the Base32 of a key by hand. */
export async function codeOfSetupCode(setupCode: string): Promise<string> {
  return (await run("oathtool", ["--totp", "--base32", setupCode])).text.trim();
}

/** A code of no time step near to now. */
export async function wrongCode(secret: string): Promise<string> {
  const near = await codesFrom(secret, currentStep() - 12, 25);
  const candidates = Array.from(
    { length: near.length + 1 },
    (_, i) => `${i}`.repeat(6).slice(0, 6),
  );
  return candidates.find((candidate) => !near.includes(candidate))!;
}

async function codesFrom(secret: string, step: number, count: number): Promise<readonly string[]> {
  const now = `@${step * PERIOD_MS / 1000}`;
  const args = ["--totp", "--now", now, "--window", `${count - 1}`, hex(secret)];
  return (await run("oathtool", args)).text.trim().split("\n");
}

function hex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}
