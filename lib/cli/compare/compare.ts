/**
 * Command `compare`: asks a service and this program the same questions, and says what differs.
 *
 * @module
 */

import { flagOf, UsageError } from "../../config/option.ts";
import type { Config } from "../../config/options.ts";
import { newSecret, secretKey } from "../../otp/secret.ts";
import { hotp, importOtpKey, timeStep } from "../../otp/totp.ts";
import { isLoopback } from "../../page/shared/address.ts";
import { readKeys } from "../../server/server.ts";
import type { OptionsOf } from "../args/commands.ts";
import { CommandError } from "../io/io.ts";
import { readAuthorities } from "../../server/files/tls.ts";
import type { Call, Reply } from "./calls.ts";
import { answerHere } from "./local.ts";
import { type Draw, GROUPS, type Question, questionsFor, windowQuestion } from "./questions.ts";
import {
  ANSWER_TIMEOUT_MS,
  MAX_REQUESTS,
  NoAnswerError,
  parseServiceUrl,
  printable,
  RemoteService,
} from "./remote.ts";
import { findWindow } from "./window.ts";
import { clockFinding, type Compared, countsOf, type Finding, reportOf } from "./report.ts";

/** Parts of a comparison that tests replace. */
export interface CompareParts {
  /** Time for an answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number;
  /** Waits for some milliseconds. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Compares the service at a URL with a server of these options.
 *
 * @param print Writes a line to stdout.
 * @returns 0 when all answers are the same, or those that the hosted service is known for; else 1.
 * @throws {UsageError} When the URL or an option cannot be used.
 * @throws {CommandError} When nothing at the URL answers as such a service.
 */
export async function compare(
  config: Config,
  url: string | undefined,
  { sendKey, ca }: OptionsOf<"compare">,
  print: (line: string) => void,
  { timeoutMs = ANSWER_TIMEOUT_MS, now = Date.now, sleep = wait }: CompareParts = {},
): Promise<number> {
  const address = parseServiceUrl(url);
  const remote = new RemoteService({
    ...address,
    key: sendKey ? firstKey(config, address.origin) : undefined,
    ca: ca === undefined ? [] : readAuthorities(ca),
    timeoutMs,
    now,
  });
  print(
    `Asking ${remote.place}, with at most ${MAX_REQUESTS} requests: secrets drawn for them, and ` +
      `pins made from those. ${
        sendKey ? `The first key of ${flagOf("apiKeysFile")} is sent` : "No API key is sent"
      }.`,
  );
  const comparison = new Comparison(config, remote, { origin: address.origin, now, sleep });
  await comparison.run(print);
  reportOf(comparison).forEach(print);
  return comparison.findings.every(({ kind }) => kind === "same" || kind === "known") ? 0 : 1;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function firstKey({ apiKeysFile }: Config, origin: string): string {
  const [flag, file] = [flagOf("sendKey"), flagOf("apiKeysFile")];
  if (apiKeysFile === undefined) throw new UsageError(`${flag} needs ${file}`);
  const { protocol, host } = new URL(origin);
  if (protocol !== "https:" && !isLoopback(host)) {
    throw new UsageError(`${flag} needs a URL with https, or one of this machine`);
  }
  return readKeys(apiKeysFile)[0]!.key;
}

/** Question that was asked, with its answer. */
interface Asked {
  readonly question: Question;
  readonly draw: Draw;
  readonly calls: readonly Call[];
  readonly replies: readonly Reply[];
  /** The answer; of one that did not come, the reason. */
  readonly answer: string;
  /** Whether an answer came. */
  readonly isAnswered: boolean;
  /** Time of this machine when it was asked. */
  readonly sentMs: number;
}

/** What a comparison needs beside the options. */
interface Surroundings extends Required<Pick<CompareParts, "now" | "sleep">> {
  /** Scheme and authority of the other side. */
  readonly origin: string;
}

/** Comparison: the state of one run. */
class Comparison implements Compared {
  readonly findings: Finding[] = [];
  readonly ours: Config;
  readonly remote: RemoteService;
  theirs: Config;
  aheadMs = 0;
  readonly #parts: Surroundings;

  constructor(config: Config, remote: RemoteService, parts: Surroundings) {
    this.ours = this.theirs = config;
    this.remote = remote;
    this.#parts = parts;
  }

  /**
   * Asks all questions.
   *
   * @param print Writes a line for each group.
   * @throws {CommandError} When nothing at the URL answers as such a service.
   */
  async run(print: (line: string) => void): Promise<void> {
    const questions = questionsFor(this.ours);
    for (const group of GROUPS) {
      const asked: Asked[] = [];
      for (const question of questions.filter((each) => each.group === group)) {
        asked.push(await this.#ask(question, asked.at(-1)));
      }
      // The clock is set before the first pin is made.
      if (group === "Description") this.aheadMs = this.remote.aheadMs ?? 0;
      const findings: Finding[] = [];
      if (group === "Clock and window") {
        asked.push(...await this.#measureWindow(asked));
        findings.push(clockFinding(this.aheadMs));
      }
      for (const each of asked) findings.push(await this.#judge(each));
      this.findings.push(...findings);
      print(`${group}: ${countsOf(findings)}`);
      if (group === "Pairing" && this.findings.every(({ kind }) => kind === "different")) {
        const [{ there }] = this.findings as [Finding];
        throw new CommandError(
          `${this.remote.place} does not answer as such a service: ${printable(there)}`,
        );
      }
    }
  }

  /** Returns the time of the other side. */
  #now(): number {
    return this.#parts.now() + this.aheadMs;
  }

  async #ask(question: Question, before?: Asked): Promise<Asked> {
    if (question.calls === undefined) {
      return before!.isAnswered ? this.#read({ ...before!, question }) : { ...before!, question };
    }
    let asked: Asked | undefined;
    // A question is asked again, with another secret, where no answer came or a time step passed.
    for (const _attempt of [1, 2]) {
      asked = await this.#askOnce(question, question.calls);
      const { period } = this.theirs;
      const isInStep =
        timeStep(asked.sentMs + this.aheadMs, period) === timeStep(this.#now(), period);
      if (asked.isAnswered && isInStep) return this.#read(asked);
      if (asked.isAnswered) {
        asked = { ...asked, isAnswered: false, answer: "no answer within a time step" };
      }
    }
    return asked!;
  }

  async #askOnce(question: Question, callsOf: (draw: Draw) => readonly Call[]): Promise<Asked> {
    await this.#awaitStep();
    const draw = await this.#draw(question);
    const calls = callsOf(draw);
    const begun = { question, draw, calls, sentMs: this.#parts.now() };
    const replies: Reply[] = [];
    try {
      for (const call of calls) {
        replies.push(await this.remote.ask(call, question.isAnonymous === true));
      }
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      return { ...begun, replies, answer: error.message, isAnswered: false };
    }
    return { ...begun, replies, answer: "", isAnswered: true };
  }

  /** Reads an answer, and the options that it shows. */
  #read(asked: Asked): Asked {
    const answer = asked.question.read(asked.replies, asked.draw);
    this.#adopt(asked.question.shows?.(answer, asked.draw) ?? {});
    return { ...asked, answer };
  }

  #adopt(shown: Partial<Config>): void {
    const names = Object.keys(shown) as (keyof Config)[];
    // The same object means the same options.
    if (names.some((name) => shown[name] !== this.theirs[name])) {
      this.theirs = { ...this.theirs, ...shown };
    }
  }

  /** Waits at the end and the beginning of a time step, which both sides may see differently. */
  async #awaitStep(): Promise<void> {
    const periodMs = this.theirs.period * 1000;
    const marginMs = Math.min(1_500, periodMs / 20);
    const intoMs = this.#now() % periodMs;
    const waitMs = intoMs < marginMs
      ? marginMs - intoMs
      : intoMs > periodMs - marginMs
      ? periodMs - intoMs + marginMs
      : 0;
    if (waitMs > 0) await this.#parts.sleep(waitMs);
  }

  /** Draws a secret whose codes in the window and around it are all different. */
  async #draw({ secret: kind, steps = 0 }: Question): Promise<Draw> {
    const { algorithm, digits, period, secretEncoding, namespace, window } = this.theirs;
    const furthest = Math.max(11, this.ours.window + 1, window + 1, Math.abs(steps));
    const now = timeStep(this.#now(), period);
    for (;;) {
      // Base32 is a secret in either encoding.
      const secret = newSecret("base32", crypto) + (kind === "outside ASCII" ? "é" : "");
      const bytes = secretKey(secret, secretEncoding) ?? secretKey(secret, "text")!;
      const key = await importOtpKey(bytes, algorithm);
      if (kind === "code begins with 0" && !(await hotp(key, now, digits)).startsWith("0")) {
        continue;
      }
      const codes = await Promise.all(
        Array.from({ length: 2 * furthest + 1 }, (_, i) => hotp(key, now + i - furthest, digits)),
      );
      if (new Set(codes).size < codes.length) continue;
      const code = (steps: number): string => codes[steps + furthest]!;
      const wrong = (Number(code(0)) + 1) % 10 ** digits;
      const wrongPin = String(wrong).padStart(digits, "0");
      if (!codes.includes(wrongPin)) {
        return { secret, code, wrongPin, namespace, origin: this.#parts.origin };
      }
    }
  }

  /** Measures the window, and by its middle the clock, with further questions where they are needed. */
  async #measureWindow(asked: readonly Asked[]): Promise<readonly Asked[]> {
    const further: Asked[] = [];
    const answers = new Map(
      asked.map(({ question, answer }) => [question.steps!, answer === "true"]),
    );
    const found = await findWindow(answers, this.ours.window, async (steps) => {
      const each = await this.#ask(windowQuestion(steps));
      further.push(each);
      return each.answer === "true";
    });
    if (found !== undefined) {
      this.aheadMs += found.middle * this.theirs.period * 1000;
      this.#adopt({ window: found.width });
    }
    return further;
  }

  async #judge(asked: Asked): Promise<Finding> {
    const { question: { name, known }, answer, isAnswered } = asked;
    const { ours, theirs } = this;
    const here = await this.#answerHere(asked, theirs);
    const finding = { name, here, there: answer, options: [] };
    if (!isAnswered) return { ...finding, kind: "different" };
    if (answer !== here) return { ...finding, kind: answer === known ? "known" : "different" };
    if (theirs === ours || await this.#answerHere(asked, ours) === answer) {
      return { ...finding, kind: "same" };
    }
    // An option explains the answer where the answer changes with it.
    const changed = (Object.keys(ours) as (keyof Config)[])
      .filter((option) => theirs[option] !== ours[option]);
    const needed: (keyof Config)[] = [];
    for (const option of changed) {
      const without = await this.#answerHere(asked, { ...theirs, [option]: ours[option] });
      if (without !== answer) needed.push(option);
    }
    return { ...finding, kind: "option", options: needed.length === 0 ? changed : needed };
  }

  async #answerHere({ question, draw, calls, sentMs }: Asked, config: Config): Promise<string> {
    const replies = await answerHere(config, calls, {
      nowMs: sentMs + this.aheadMs,
      origin: this.#parts.origin,
      isAnonymous: question.isAnonymous === true,
    });
    return question.read(replies, draw);
  }
}
