/**
 * Command `doctor`: explains the failure of a pin.
 *
 * @module
 */

import type { Config } from "../../config/options.ts";
import { UsageError } from "../../config/option.ts";
import { causesOf, CERTAINTY, OTHER_REASONS, timeAway } from "../../otp/diagnosis/causes.ts";
import {
  diagnose,
  type Diagnosis,
  type Match,
  type PinSettings,
  type SentPin,
} from "../../otp/diagnosis/diagnosis.ts";
import { timeStep } from "../../otp/totp.ts";
import type { CallContext } from "../../operations/context.ts";
import { Fault } from "../../operations/fault.ts";
import { VALIDATE_PIN } from "../../operations/operations.ts";
import { openSecret, UnopenedError } from "../../sealing/seal_keys.ts";
import type { OptionsOf } from "../args/commands.ts";
import { guardFindings } from "./guard_state.ts";
import { readStdin, withoutLineEnd } from "../io/io.ts";
import { callContext } from "../operation_call.ts";
import { keysFor, unopenedClause } from "../sealed_secret.ts";

/**
 * Prints whether a pin is right, and if not, the reason. It never prints pin or secret.
 *
 * @param print Writes lines to stdout.
 * @returns 0 when a server with these options accepts the pin, else 1.
 * @throws {UsageError} When pin or secret is missing.
 * @throws {CommandError} When the secret is sealed, and there are no keys that can be used.
 */
export async function doctor(
  config: Config,
  options: OptionsOf<"doctor">,
  print: (text: string) => void,
): Promise<number> {
  const given = await readSentPin();
  const nowMs = options.at ?? Date.now();
  const sealKeys = keysFor(given.secretCode, config);
  const answer = await answerOf(given, { ...callContext(config, nowMs), sealKeys });
  const sent = { ...given };
  try {
    sent.secretCode = openSecret(given.secretCode, sealKeys).text;
  } catch (error) {
    if (!(error instanceof UnopenedError)) throw error;
    print(`${errorLine(answer)}\nThe secret ${unopenedClause(error)}.`);
    return 1;
  }
  const diagnosis = await diagnose(sent, config, nowMs);
  const step = answer === true ? acceptedStep(diagnosis, config, nowMs) : undefined;
  const guard = await guardFindings(config, sent.secretCode, step);
  const check = { answer, isRefused: guard.refuses, nowMs, isGiven: options.at !== undefined };
  const lines = explain(check, diagnosis, config);
  print([...lines, ...guard.lines].join("\n"));
  return answer === true && !guard.refuses ? 0 : 1;
}

function errorLine(answer: boolean | string): string {
  return `A server with these options answers with an error: ${answer}`;
}

async function answerOf(sent: SentPin, context: CallContext): Promise<boolean | string> {
  const args = new Map(Object.entries(sent));
  try {
    return (await VALIDATE_PIN.invoke(args, context)).result === true;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function acceptedStep(
  { match }: Diagnosis,
  { period }: PinSettings,
  nowMs: number,
): number | undefined {
  return match && timeStep(nowMs, period) + match.stepsAhead;
}

async function readSentPin(): Promise<SentPin> {
  const text = await readStdin([
    { what: "Pin", isShown: true },
    { what: "Secret", isShown: false },
  ]);
  const [, pin, rest] = /^([^\n]*)\n([^]*)$/.exec(text) ?? [];
  const secretCode = withoutLineEnd(rest ?? "");
  if (pin === undefined || secretCode === "") {
    throw new UsageError("doctor needs two lines of standard input: the pin, then the secret");
  }
  return { pin: withoutLineEnd(`${pin}\n`), secretCode };
}

/** Answer of a server to a pin, at a time. */
export interface ServerAnswer {
  /** The result, or the message of the fault. */
  readonly answer: boolean | string;
  /** Whether the guard refuses even a right pin. */
  readonly isRefused?: boolean;
  /** The time in milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether `--at` gave it; otherwise it is this machine's time. */
  readonly isGiven: boolean;
}

/** Explains a diagnosis in lines. */
export function explain(
  { answer, isRefused = false, nowMs, isGiven }: ServerAnswer,
  { flaws, canBeCode, match }: Diagnosis,
  settings: PinSettings,
): readonly string[] {
  if (answer === true) {
    const right = isRefused
      ? "The pin is right, but a server with these options answers false."
      : "The pin is right: a server with these options answers true.";
    return match === undefined ? [right] : [right, rightTime(match)];
  }
  const lines = [
    answer === false
      ? "The pin is wrong: a server with these options answers false."
      : errorLine(answer),
    ...listed(flaws),
  ];
  if (match === undefined) {
    // The message of an unexplained error is enough.
    if (!canBeCode || answer !== false) return lines;
    lines.push("Possible reasons:", ...listed(OTHER_REASONS));
  } else {
    const causes = causesOf(match, settings);
    if (causes.length === 0) lines.push("Otherwise the server would answer true.");
    else lines.push("The likely reason:", ...listed(causes), CERTAINTY);
  }
  const at = new Date(nowMs).toISOString().replace(/\.[0-9]{3}Z$/, "Z");
  const source = isGiven ? "--at" : "this machine's clock";
  return [...lines, `The pin was checked at ${at}, the time of ${source}.`];
}

function rightTime(match: Match): string {
  if (match.stepsAhead === 0) return "It is the code of the current time step.";
  const direction = match.stepsAhead > 0 ? "ahead" : "behind";
  return `The phone's clock is ${timeAway(match)} ${direction}, which the window allows.`;
}

function listed(sentences: readonly string[]): readonly string[] {
  return sentences.map((sentence) => `- ${sentence}`);
}
