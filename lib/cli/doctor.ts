/**
 * The command that says why a pin fails.
 *
 * @module
 */

import { type Config, flagOf, OPTIONS, UsageError } from "../config.ts";
import type { SecretEncoding } from "../otp/secret.ts";
import { timeStep } from "../otp/totp.ts";
import type { ServiceContext } from "../service/context.ts";
import type { DoctorOptions } from "./command_line.ts";
import { CONVINCING_CHANCE, diagnose, type Diagnosis, type Match } from "./diagnosis.ts";
import { guardMemory } from "./guard_memory.ts";
import { readStdin, withoutLineEnd } from "./io.ts";
import type { PinFlaw } from "./pin_reading.ts";

/** The options that decide what the server says to a pin. */
export type PinOptions = Pick<
  Config,
  "algorithm" | "digits" | "period" | "window" | "secretEncoding"
>;

/** From this chance on, a match is no more than a hint. */
const DOUBTFUL_CHANCE = 0.05;

/**
 * Prints whether a pin is right, and if not, why. Pin and secret are never part of what is printed.
 *
 * @param print Writes lines to stdout.
 * @returns 0 when the server says true, else 1.
 * @throws {UsageError} When pin or secret are not given.
 */
export async function doctor(
  config: Config,
  options: DoctorOptions,
  print: (text: string) => void,
): Promise<number> {
  const question = await readQuestion();
  const nowMs = options.at ?? Date.now();
  const { secretEncoding } = config;
  const context = { otp: config, secretEncoding, html: "svg", now: () => nowMs } as const;
  const diagnosis = await diagnose(question, context);
  const memory = await guardMemory(config, question.secretCode, acceptedStep(diagnosis, context));
  print([...explain(diagnosis, config, nowMs, memory.refuses), ...memory.lines].join("\n"));
  return diagnosis.answer === true && !memory.refuses ? 0 : 1;
}

function acceptedStep(
  { answer, matches: [best] }: Diagnosis,
  { otp, now }: Pick<ServiceContext, "otp" | "now">,
): number | undefined {
  const isCode = answer === true && best !== undefined;
  return isCode ? timeStep(now(), otp.period) + best.stepsAhead : undefined;
}

async function readQuestion(): Promise<{ readonly pin: string; readonly secretCode: string }> {
  const text = await readStdin("the pin and Enter, then the secret and Enter", 2);
  const [, pin, rest] = /^([^\n]*)\n([^]*)$/.exec(text) ?? [];
  const secretCode = withoutLineEnd(rest ?? "");
  if (pin === undefined || secretCode === "") {
    throw new UsageError("doctor needs two lines of standard input: the pin, then the secret");
  }
  return { pin: withoutLineEnd(`${pin}\n`), secretCode };
}

/**
 * The lines that explain a diagnosis.
 *
 * @param nowMs The moment at which the pin was typed, in milliseconds since 1970.
 * @param isRefused Whether the server refuses a right pin too, for what its store remembers.
 */
export function explain(
  diagnosis: Diagnosis,
  options: PinOptions,
  nowMs: number,
  isRefused = false,
): readonly string[] {
  const { answer, flaws, digitCount, searched, matches } = diagnosis;
  const [best, ...others] = matches;
  if (answer === true) {
    const right = isRefused
      ? "The pin is right, but a server with these options answers false."
      : "The pin is right: a server with these options answers true.";
    return best === undefined ? [right] : [right, rightTime(best)];
  }
  const lines = [
    answer === false
      ? "The pin is wrong: a server with these options answers false."
      : `A server with these options answers with an error: ${answer}`,
    ...flaws.map((flaw) => `- ${flawText(flaw, digitCount, options.digits)}`),
  ];
  if (!searched) return lines;
  if (best === undefined) lines.push(...NO_MATCH);
  else lines.push(...matchLines("What explains it:", best, options), chanceLine(best));
  for (const other of others) lines.push(...matchLines("What may explain it too:", other, options));
  const at = new Date(nowMs).toISOString().replace(/\.[0-9]{3}Z$/, "Z");
  return [...lines, `The time looked at is ${at}, by this machine's clock or --at.`];
}

function rightTime(match: Match): string {
  return match.stepsAhead === 0
    ? "It is the code of the current time step."
    : `The app's clock is ${duration(match)}, which the window allows.`;
}

function flawText(flaw: PinFlaw, digitCount: number, digits: number): string {
  switch (flaw) {
    case "empty":
      return "The pin is empty.";
    case "hyphens":
      return "The pin holds hyphens or dashes. Send the digits alone.";
    case "blanks":
      return "The pin holds blanks or invisible characters that are not ASCII, as text copied " +
        "from a page often does. Send the digits alone.";
    case "foreign-digits":
      return "The pin has full-width digits or those of another script. Send ASCII digits, 0 to 9.";
    case "no-digits":
      return "The pin holds characters that are no digits.";
    case "too-short":
    case "too-long":
      return `The pin has ${digitCount} digits, and a code has ${digits}.`;
  }
}

function matchLines(heading: string, match: Match, options: PinOptions): readonly string[] {
  const reasons = [...differences(match, options), ...clockReasons(match, options)];
  if (reasons.length === 0) return ["But for that the server would answer true."];
  return [heading, ...reasons.map((reason) => `- ${reason}`)];
}

/** What has to be otherwise for the pin to be a code, each with what to do. */
function differences(match: Match, options: PinOptions): string[] {
  const { secret, algorithm, digits, period, lostZeros } = match;
  const reasons: string[] = [];
  if (lostZeros > 0) {
    const zeros = lostZeros === 1 ? "its leading zero" : `its ${lostZeros} leading zeros`;
    reasons.push(`The pin lost ${zeros}: something reads it as a number. Send it as text.`);
  }
  if (secret === "other-encoding") reasons.push(OTHER_ENCODING[options.secretEncoding]);
  if (secret === "trimmed") {
    reasons.push(
      "The app has the secret without the blanks or line ends around it. Send it without them.",
    );
  }
  if (algorithm !== options.algorithm) reasons.push(otherOption("algorithm", algorithm, options));
  if (digits !== options.digits) reasons.push(otherOption("digits", digits, options));
  if (period !== options.period) reasons.push(otherOption("period", period, options));
  return reasons;
}

const OTHER_ENCODING: Readonly<Record<SecretEncoding, string>> = {
  text: "The app takes the secret as Base32, and the server as text. Pair the app with the setup " +
    "code that Pair returns, not with the secret itself; or start the server with " +
    "--secret-encoding base32, if all secrets are. If what was given here is a setup code, give " +
    "the secret.",
  base32: "The app takes the secret as text, and the server as Base32. Start the server without " +
    "--secret-encoding base32, or pair the app with the secret itself.",
};

function otherOption(
  name: "algorithm" | "digits" | "period",
  value: string | number,
  options: PinOptions,
): string {
  const { [name]: configured } = options;
  return `The app has ${
    flagOf(name)
  } ${value}, and the server ${configured}. Many apps know only ` +
    "SHA1, 6 digits and 30 seconds: pair again, or change the server.";
}

function clockReasons(match: Match, options: PinOptions): string[] {
  const steps = Math.abs(match.stepsAhead);
  const { window, period } = options;
  if (steps * match.period <= window * period) return [];
  const late = match.stepsAhead < 0 ? ", or the pin came that long after it was shown" : "";
  return [
    `The app's clock is ${
      duration(match)
    }${late}. Let the phone set its time by the network; if it ` +
    "does, look at this machine's clock.",
    OPTIONS.window.parse(String(steps)) !== undefined && match.period === period
      ? `The server has ${flagOf("window")} ${window}; it would take ${
        flagOf("window")
      } ${steps}. ` +
        "More than 2 is not advisable."
      : "No window of the server is that wide.",
  ];
}

/** How far the clock is off: two times, since a code is shown for a whole time step. */
function duration({ stepsAhead, secondsAhead }: Match): string {
  const [least, most] = secondsAhead.map(Math.abs).sort((a, b) => a - b) as [number, number];
  const direction = stepsAhead > 0 ? "ahead" : "behind";
  return `${minutes(least)} to ${minutes(most)} ${direction}`;
}

function minutes(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.join(" ") || "0 s";
}

function chanceLine({ chance }: Match): string {
  const rarity = `once in ${Math.round(1 / chance).toLocaleString("en")} times`;
  if (chance < CONVINCING_CHANCE) {
    return `This is certain enough: chance explains a pin as well as that only ${rarity}.`;
  }
  const certainty = chance < DOUBTFUL_CHANCE ? "This is likely" : "This may be chance";
  return `${certainty}: chance explains a pin as well as that ${rarity}. Try the next code too.`;
}

const NO_MATCH = [
  "No code within a day explains it, however secret, algorithm, digits and period are taken:",
  "- The app was paired with another secret, or for another account: pair again.",
  "- Or the pin was mistyped: try the next code.",
];
