/**
 * Command `compare`: asks a service and this program the same questions, and says what differs.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { createService } from "../../config/create_service.ts";
import { flagOf, UsageError } from "../../config/option.ts";
import type { Config } from "../../config/options.ts";
import { openGuard } from "../../guard/open_guard.ts";
import { KeyRing } from "../../http/api_keys.ts";
import { newSecret, secretKey } from "../../otp/secret.ts";
import { hotp, importOtpKey, timeStep } from "../../otp/totp.ts";
import { isLoopback } from "../../page/shared/address.ts";
import type { SealKeys } from "../../sealing/seal_keys.ts";
import { readAuthorities } from "../../server/files/tls.ts";
import { sleep } from "../../server/runtime/timeout.ts";
import { readKeys, sealKeysOf } from "../../server/server.ts";
import type { OptionsOf } from "../args/commands.ts";
import { parseServiceUrl } from "../args/service_url.ts";
import { NoReplyError, type ServerReply } from "../http_client.ts";
import { CommandError } from "../io/io.ts";
import type { Call } from "../service_calls.ts";
import {
  type Draw,
  type Question,
  questionsFor,
  RIGHT_PINS,
  WINDOW,
  windowQuestion,
} from "./questions.ts";
import { type CompareParts, MAX_REQUESTS, RemoteService } from "./remote.ts";
import { countsOf, type Finding, reportOf } from "./report.ts";
import { findWindow } from "./window.ts";

/** Difference of clocks that no user notices, in milliseconds: a third of a time step. */
const TOLERANCE_MS = 10_000;

/** Difference of a Date that is not the time, in milliseconds: a day. */
const MAX_AHEAD_MS = 86_400_000;

/** Distance up to which the codes of a secret are all different, in time steps. */
const MIN_DISTANCE = 12;

/** Questions that are asked again, to see whether several servers answer. */
const MAX_REPEATED = 3;

/**
 * Compares the service at a URL with a server of these options.
 *
 * @param print Writes a line to stdout.
 * @returns 0 when all answers are the same, or those that the hosted service is known for; else 1.
 * @throws {UsageError} When the URL or an option cannot be used.
 * @throws {CommandError} When the comparison ends early; the findings until then are printed.
 */
export async function compare(
  config: Config,
  url: string | undefined,
  { sendKey, ca }: OptionsOf<"compare">,
  print: (line: string) => void,
  replaced: Partial<CompareParts> = {},
): Promise<number> {
  const place = parseServiceUrl(url);
  const key = sendKey ? firstKey(config, new URL(place)) : undefined;
  const parts = { timeoutMs: 10_000, now: Date.now, sleep, ...replaced };
  const authorities = ca === undefined ? [] : readAuthorities(ca);
  const remote = new RemoteService(place, key, authorities, parts);
  const comparison = new Comparison(config, sealKeysOf(config), remote, parts, print);
  print(
    `Asking ${place}, with at most ${MAX_REQUESTS} requests: secrets drawn for them, and ` +
      `pins made from those. ${
        sendKey ? `The first key of ${flagOf("apiKeysFile")} is sent` : "No API key is sent"
      }.`,
  );
  return await comparison.run();
}

function firstKey({ apiKeysFile }: Config, { protocol, host }: URL): string {
  const [flag, file] = [flagOf("sendKey"), flagOf("apiKeysFile")];
  if (apiKeysFile === undefined) throw new UsageError(`${flag} needs ${file}`);
  if (protocol !== "https:" && !isLoopback(host)) {
    throw new UsageError(`${flag} needs a URL with https, or one of this machine`);
  }
  return readKeys(apiKeysFile)[0]!.key;
}

/** Question that was asked, with its answer. */
interface Asked {
  readonly question: Question;
  readonly draw: Draw;
  /** The draw where other questions have it too. */
  readonly shared: Draw | undefined;
  readonly calls: readonly Call[];
  /** The answer; of one that did not come, the reason. */
  readonly answer: string;
  readonly isAnswered: boolean;
  /** Time of this machine when it was asked. */
  readonly sentMs: number;
}

/** Comparison: the state of one run. */
class Comparison {
  readonly #findings: Finding[] = [];
  #theirs: Config;
  /** Lead of the other side's clock, in milliseconds. */
  #aheadMs = 0;
  /** Replies to calls that several questions share. */
  readonly #replies = new Map<string, ServerReply>();

  constructor(
    readonly ours: Config,
    readonly sealKeys: SealKeys | undefined,
    readonly remote: RemoteService,
    readonly parts: CompareParts,
    readonly print: (line: string) => void,
  ) {
    this.#theirs = ours;
  }

  /** Asks all questions, prints the report, and returns the exit code. */
  async run(): Promise<number> {
    let end: CommandError | undefined;
    let isByTurns = false;
    try {
      const doubtful: Asked[] = [];
      for (const group of Object.entries(questionsFor(this.ours, this.sealKeys))) {
        doubtful.push(...await this.#askGroup(...group));
      }
      isByTurns = await this.#isByTurns(doubtful);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      end = error;
    }
    const kinds = new Set(this.#findings.map(({ kind }) => kind));
    const isAdvised = end === undefined && !isByTurns;
    const { redactor } = this.remote;
    const lines = reportOf(this.#findings, redactor, this.ours, this.#theirs, isAdvised);
    // The error alone explains why nothing is the same.
    if (end === undefined || kinds.size > 1) lines.forEach((line) => this.print(line));
    if (isByTurns) this.print("It gives different answers at different times: several servers?");
    this.print(
      `${this.remote.requests} requests. Not asked: throttling, the store, the guard key, the ` +
        "operator port, older seal keys, other API keys.",
    );
    if (end !== undefined) throw end;
    return kinds.has("option") || kinds.has("different") ? 1 : 0;
  }

  /** Asks the questions of a group, and returns those whose answers are not the right ones. */
  async #askGroup(group: string, questions: readonly Question[]): Promise<readonly Asked[]> {
    const asked: Asked[] = [];
    const findings: Finding[] = [];
    const beforeMs = this.#aheadMs;
    try {
      const isTimed = group === WINDOW || group === RIGHT_PINS;
      const draw = isTimed ? undefined : await this.#draw({});
      for (const question of questions) asked.push(await this.#ask(question, draw));
      // The clock is set before the first pin is made.
      const dateAheadMs = this.remote.aheadMs ?? 0;
      const isTime = Math.abs(dateAheadMs) <= MAX_AHEAD_MS;
      if (group === "Description" && isTime) this.#aheadMs = dateAheadMs;
      if (group === WINDOW) {
        await this.#measureWindow(asked);
        findings.push(clockFinding(isTime ? this.#aheadMs : dateAheadMs, isTime));
      }
    } finally {
      for (const each of asked) findings.push(await this.#judge(each));
      this.#findings.push(...findings);
      if (findings.length > 0) this.print(`${group}: ${countsOf(findings)}`);
    }
    if (group === "Pairing" && this.#findings.every(({ kind }) => kind === "different")) {
      const there = this.remote.redactor.text(this.#findings[0]!.there);
      throw new CommandError(`${this.remote.place} does not answer as such a service: ${there}`);
    }
    const isKept = group !== WINDOW || this.#aheadMs === beforeMs;
    const doubtful = findings.filter(({ kind }) => kind === "option" || kind === "different");
    return asked.filter(({ question: { name }, isAnswered }) =>
      isKept && isAnswered && doubtful.some((finding) => finding.name === name)
    );
  }

  /** Repeats doubtful questions twice: servers that answer by turns give another answer. */
  async #isByTurns(doubtful: readonly Asked[]): Promise<boolean> {
    for (const { question, answer, shared } of doubtful.slice(0, MAX_REPEATED)) {
      for (const _time of [1, 2]) {
        this.#replies.clear();
        const again = await this.#askOnce(question, shared);
        if (again.isAnswered && again.answer !== answer) return true;
      }
    }
    return false;
  }

  /** Asks a question; with a draw that others share, equal calls are sent once. */
  async #ask(question: Question, shared?: Draw): Promise<Asked> {
    let asked = await this.#askOnce(question, shared);
    // It is asked again, with another secret, where no answer came or a time step passed.
    if (!asked.isAnswered) asked = await this.#askOnce(question, shared);
    const shown = asked.isAnswered ? question.shows?.(asked.answer, asked.draw) : {};
    this.#theirs = { ...this.#theirs, ...shown };
    return asked;
  }

  async #askOnce(question: Question, shared: Draw | undefined): Promise<Asked> {
    if (shared === undefined) await this.#awaitStep();
    const draw = shared ?? await this.#draw(question);
    const calls = Array<Call>(question.times ?? 1).fill(question.call(draw));
    const begun = { question, draw, shared, calls, sentMs: this.parts.now() };
    const step = this.#step();
    try {
      const answers: string[] = [];
      for (const call of calls) {
        const sent = shared && this.#replies.get(JSON.stringify(call));
        const reply = sent ?? await this.remote.ask(call, question.isAnonymous);
        if (shared !== undefined) this.#replies.set(JSON.stringify(call), reply);
        answers.push(question.read(reply, draw));
      }
      const isInStep = shared !== undefined || step === this.#step();
      const answer = isInStep ? answers.join(", ") : "no answer within a time step";
      return { ...begun, answer, isAnswered: isInStep };
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      return { ...begun, answer: `no answer: ${error.message}`, isAnswered: false };
    }
  }

  /** Returns the time step of the other side. */
  #step(): number {
    return timeStep(this.parts.now() + this.#aheadMs, this.#theirs.period);
  }

  /** Waits at the end and the beginning of a time step, which both sides may see differently. */
  async #awaitStep(): Promise<void> {
    const periodMs = this.#theirs.period * 1000;
    const marginMs = Math.min(1_500, periodMs / 20);
    const sinceMs = (this.parts.now() + this.#aheadMs + marginMs) % periodMs;
    const waitMs = 2 * marginMs - sinceMs;
    if (waitMs <= 0) return;
    if (waitMs >= 1_000) this.print("Waiting for the next time step.");
    await this.parts.sleep(waitMs);
  }

  /** Draws a secret whose codes in the window and around it are all different. */
  async #draw({ secret, distance = 0 }: Partial<Question>): Promise<Draw> {
    const { algorithm, digits, secretEncoding, namespace, window } = this.#theirs;
    const furthest = Math.max(MIN_DISTANCE, window + 1, distance);
    const { origin } = new URL(this.remote.place);
    const now = this.#step();
    for (;;) {
      // Base32 is a secret in either encoding.
      const text = newSecret("base32", crypto);
      const secretCode = secret === "outside ASCII" ? `${text}é` : text;
      const bytes = secretKey(secretCode, secretEncoding) ?? secretKey(secretCode, "text")!;
      const key = await importOtpKey(bytes, algorithm);
      const pin = await hotp(key, now, digits);
      if (secret === "code begins with 0" && !pin.startsWith("0")) continue;
      const codes = await Promise.all(
        Array.from({ length: 2 * furthest + 1 }, (_, i) => hotp(key, now + i - furthest, digits)),
      );
      const wrongPin = String((Number(pin) + 1) % 10 ** digits).padStart(digits, "0");
      if (new Set([...codes, wrongPin]).size === codes.length + 1) {
        const pinAt = (steps: number): string => codes[steps + furthest]!;
        return { secretCode, pin, pinAt, wrongPin, namespace, origin };
      }
    }
  }

  /** Measures the window, and by its middle the clock. */
  async #measureWindow(asked: Asked[]): Promise<void> {
    const found = await findWindow(this.ours.window, async (steps) => {
      const each = await this.#ask(windowQuestion(steps));
      asked.push(each);
      return each.answer === "true";
    });
    if (found === undefined) return;
    this.#aheadMs += found.middle * this.#theirs.period * 1000;
    this.#theirs = { ...this.#theirs, window: found.width };
  }

  async #judge(asked: Asked): Promise<Finding> {
    const { question: { name, known, keyFile }, answer, isAnswered } = asked;
    const [ours, theirs] = [this.ours, this.#theirs];
    const here = await this.#answerHere(asked, theirs);
    const finding = { name, here, there: answer, options: [] };
    if (!isAnswered) return { ...finding, kind: "different" };
    if (answer !== here) {
      return keyFile?.answer.test(answer)
        ? { ...finding, kind: "option", options: [keyFile.option], advice: keyFile.advice }
        : { ...finding, kind: answer === known ? "known" : "different" };
    }
    // An option explains the answer where the answer changes with it.
    const options: (keyof Config)[] = [];
    for (const option of Object.keys(ours) as (keyof Config)[]) {
      if (theirs[option] === ours[option]) continue;
      const without = await this.#answerHere(asked, { ...theirs, [option]: ours[option] });
      if (without !== answer) options.push(option);
    }
    return { ...finding, kind: options.length === 0 ? "same" : "option", options };
  }

  async #answerHere({ question, draw, calls, sentMs }: Asked, config: Config): Promise<string> {
    const nowMs = sentMs + this.#aheadMs;
    const isAnonymous = question.isAnonymous === true;
    const keys = this.sealKeys;
    const replies = await answerHere(config, keys, draw.origin, calls, nowMs, isAnonymous);
    return replies.map((reply) => question.read(reply, draw)).join(", ");
  }
}

/** Makes the finding about the clock; `isTime` is whether the Date of the other side is its time. */
function clockFinding(aheadMs: number, isTime: boolean): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const far = `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  const there = `${far} ${aheadMs < 0 ? "behind" : "ahead"}${
    isTime ? "" : " by its Date, not used"
  }`;
  const finding = { name: "the clock", here: "this machine's time", there, options: [] };
  return Math.abs(aheadMs) < TOLERANCE_MS
    ? { ...finding, kind: "same" }
    : { ...finding, kind: "different", advice: `Its clock is ${there}: synchronize both.` };
}

// Key of this process, in place of those of `--api-keys-file`, which need not be read for it.
const KEY = newSecret("base32", crypto);
const KEYS = new KeyRing([{ name: undefined, key: KEY }]);

// Answers as a server with these options does that has just been started. It opens no store, port,
// log or file: the guard is in memory.
async function answerHere(
  config: Config,
  sealKeys: SealKeys | undefined,
  origin: string,
  calls: readonly Call[],
  nowMs: number,
  isAnonymous: boolean,
): Promise<readonly ServerReply[]> {
  const clock = { randomBytes, now: () => performance.now() };
  const { handler } = createService(config, {
    now: () => nowMs,
    pinGuard: openGuard({ ...config, ...clock, guard: "memory" }),
    apiKeys: config.apiKeysFile === undefined ? undefined : KEYS,
    sealKeys,
    log: { error: () => {} },
    isReady: () => true,
  });
  const replies: ServerReply[] = [];
  for (const { method, path, headers, body = null } of calls) {
    const key = isAnonymous ? {} : { "x-api-key": KEY };
    const all = { ...headers, ...key, host: new URL(origin).host };
    const reply = await handler(new Request(origin + path, { method, body, headers: all }));
    const fields = Object.fromEntries(reply.headers);
    replies.push({ status: reply.status, headers: fields, text: await reply.text() });
  }
  return replies;
}
