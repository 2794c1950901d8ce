/**
 * Command `compare`: asks a service and this program the same questions, and reports the differences.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { createService } from "../../config/create_service.ts";
import { namesOf, UsageError } from "../../config/option.ts";
import { type Config, OPTIONS } from "../../config/options.ts";
import { openGuard } from "../../guard/open_guard.ts";
import { KeyRing } from "../../http/api_keys.ts";
import type { Handler } from "../../http/handler.ts";
import { codesFrom } from "../../otp/finder.ts";
import { newSecret, secretKey } from "../../otp/secret.ts";
import { MAX_WINDOW, timeStep } from "../../otp/totp.ts";
import { isLoopback } from "../../page/shared/address.ts";
import type { SealKeys } from "../../sealing/seal_keys.ts";
import { readAuthorities } from "../../server/files/tls.ts";
import { sleep } from "../../server/runtime/timeout.ts";
import { readKeys, sealKeysOf } from "../../server/files/keys.ts";
import type { OptionsOf } from "../args/commands.ts";
import { NoReplyError, type ServerReply } from "../http_reply.ts";
import { CommandError } from "../io/io.ts";
import { type Draw, type Question, questionsFor, WINDOW, windowQuestion } from "./questions.ts";
import { type CompareParts, MAX_REQUESTS, parseServiceUrl, RemoteService } from "./remote.ts";
import { type Finding, reportOf } from "./report.ts";
import { describeReply, type SentCall } from "./service_calls.ts";
import { findWindow } from "./window.ts";

/** Difference of clocks that no user notices, in milliseconds: a third of a time step. */
const TOLERANCE_MS = 10_000;

/** Difference of a Date that is not the time, in milliseconds: a day. */
const MAX_AHEAD_MS = 86_400_000;

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
  const comparison = new Comparison(config, sealKeysOf(config), remote, print);
  const sent = sendKey ? "The first key of --api-keys-file is sent" : "No API key is sent";
  print(
    `Asking ${place}, with at most ${MAX_REQUESTS} requests: secrets drawn for them, and pins ` +
      `made from those. ${sent}.`,
  );
  return await comparison.run();
}

function firstKey({ apiKeysFile }: Config, { protocol, host }: URL): string {
  if (apiKeysFile === undefined) throw new UsageError("--send-key needs --api-keys-file");
  if (protocol !== "https:" && !isLoopback(host)) {
    throw new UsageError("--send-key needs a URL with https, or one of this machine");
  }
  return readKeys(apiKeysFile)[0]!.key;
}

/** Question that was asked, with its answer. */
interface Asked {
  readonly question: Question;
  readonly draw: Draw;
  /** The answer; the reason where none came. */
  readonly answer: string;
  readonly isAnswered: boolean;
}

/** Comparison: the state of one run. */
class Comparison {
  readonly #findings: Finding[] = [];
  /** Questions whose answers are not those of this program's options. */
  readonly #doubtful: Asked[] = [];
  #theirs: Config;
  /** Lead of the other side's clock, in milliseconds. */
  #aheadMs = 0;
  /** Servers of this program, by their options, and the time that their clocks show. */
  readonly #handlers = new WeakMap<Config, Handler>();
  #hereMs = 0;
  /** Replies to calls that several questions share. */
  readonly #replies = new Map<string, ServerReply>();

  constructor(
    readonly ours: Config,
    readonly sealKeys: SealKeys | undefined,
    readonly remote: RemoteService,
    readonly print: (line: string) => void,
  ) {
    this.#theirs = ours;
  }

  /** Asks all questions, prints the report, and returns the exit code. */
  async run(): Promise<number> {
    let end: CommandError | undefined;
    let isByTurns = false;
    try {
      for (const group of Object.entries(questionsFor(this.ours, this.sealKeys))) {
        await this.#askGroup(...group);
      }
      isByTurns = await this.#isByTurns();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      end = error;
    }
    const kinds = new Set(this.#findings.map(({ kind }) => kind));
    const isAdvised = end === undefined && !isByTurns;
    const { ours, remote: { redactor } } = this;
    const lines = reportOf(this.#findings, redactor, ours, this.#theirs, isAdvised);
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

  async #askGroup(group: string, questions: readonly Question[]): Promise<void> {
    const asked: Asked[] = [];
    const findings: Finding[] = [];
    try {
      const draw = this.#draw();
      for (const question of questions) asked.push(await this.#ask(question, draw));
      if (group === WINDOW) findings.push(await this.#measureWindow(asked, draw));
    } finally {
      for (const each of asked) findings.push(await this.#judge(each));
      this.#findings.push(...findings);
      const counts = [...Map.groupBy(findings, ({ kind }) => kind)]
        .map(([kind, each]) => `${each.length} ${kind}`);
      if (counts.length > 0) this.print(`${group}: ${counts.join(", ")}`);
    }
  }

  /** Repeats doubtful questions twice: servers that answer by turns give another answer. */
  async #isByTurns(): Promise<boolean> {
    for (const { question, draw, answer } of this.#doubtful.slice(0, MAX_REPEATED)) {
      for (const _time of [1, 2]) {
        this.#replies.clear();
        const again = await this.#askOnce(question, draw);
        if (again.isAnswered && again.answer !== answer) return true;
      }
    }
    return false;
  }

  async #ask(question: Question, shared: Draw): Promise<Asked> {
    let asked = await this.#askOnce(question, shared);
    // A second time, a question with a pin has another secret.
    if (!asked.isAnswered) asked = await this.#askOnce(question, shared);
    const shown = asked.isAnswered ? question.shows?.(asked.answer, asked.draw) ?? {} : {};
    for (const [name, text] of Object.entries(shown)) {
      const parsed = OPTIONS[name as keyof Config].parse(text);
      if (typeof parsed === "object") this.#theirs = { ...this.#theirs, [name]: parsed.value };
    }
    return asked;
  }

  /** Asks a question; equal calls of those that share a draw are sent once. */
  async #askOnce(question: Question, shared: Draw): Promise<Asked> {
    const { secret, isAnonymous } = question;
    const isTimed = secret !== undefined;
    if (isTimed) await this.#awaitStep();
    const step = this.#step();
    const draw = isTimed ? this.#draw(secret) : shared;
    try {
      const answer = await answerOf(question, draw, async (call) => {
        const key = JSON.stringify(call);
        const reply = this.#replies.get(key) ?? await this.remote.ask(call, isAnonymous);
        if (!isTimed) this.#replies.set(key, reply);
        return reply;
      });
      if (isTimed && step !== this.#step()) throw new NoReplyError("a time step passed");
      return { question, draw, answer, isAnswered: true };
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      return { question, draw, answer: `no answer: ${error.message}`, isAnswered: false };
    }
  }

  /** Returns the time step of the other side. */
  #step(): number {
    return timeStep(this.remote.parts.now() + this.#aheadMs, this.#theirs.period);
  }

  /** Waits at the end and the beginning of a time step, which both sides may see differently. */
  async #awaitStep(): Promise<void> {
    const periodMs = this.#theirs.period * 1000;
    const marginMs = Math.min(1_500, periodMs / 20);
    const sinceMs = (this.remote.parts.now() + this.#aheadMs + marginMs) % periodMs;
    const waitMs = 2 * marginMs - sinceMs;
    if (waitMs <= 0) return;
    if (waitMs >= 1_000) this.print("Waiting for the next time step.");
    await this.remote.parts.sleep(waitMs);
  }

  /** Draws a secret whose codes in any window and next to it are all different. */
  #draw(secret?: Question["secret"]): Draw {
    const { algorithm, digits, secretEncoding, namespace } = this.#theirs;
    const { origin } = new URL(this.remote.place);
    const furthest = MAX_WINDOW + 1;
    const [drawnMs, aheadMs, now] = [this.remote.parts.now(), this.#aheadMs, this.#step()];
    for (;;) {
      // Base32 is a secret in either encoding.
      const text = newSecret("base32", crypto);
      const secretCode = secret === "outside ASCII" ? `${text}é` : text;
      const bytes = secretKey(secretCode, secretEncoding) ?? secretKey(secretCode, "text")!;
      const codes = codesFrom(bytes, now - furthest, 2 * furthest + 1, { algorithm, digits });
      const pinAt = (steps: number): string => codes[steps + furthest]!;
      const wrongPin = String((Number(pinAt(0)) + 1) % 10 ** digits).padStart(digits, "0");
      const isDistinct = new Set([...codes, wrongPin]).size === codes.length + 1;
      if (isDistinct && (secret !== "code begins with 0" || pinAt(0).startsWith("0"))) {
        return { secretCode, pinAt, wrongPin, namespace, origin, drawnMs, aheadMs };
      }
    }
  }

  /** Sets the clock by the Date, and measures the window, and by its middle the clock. */
  async #measureWindow(asked: Asked[], draw: Draw): Promise<Finding> {
    // A service has something in common in its description or a pairing.
    if (this.#findings.every(({ kind }) => kind === "different")) {
      const there = this.remote.redactor.text(this.#findings[0]!.there);
      throw new CommandError(`${this.remote.place} does not answer as such a service: ${there}`);
    }
    let { aheadMs = 0 } = this.remote;
    const isTime = Math.abs(aheadMs) <= MAX_AHEAD_MS;
    if (isTime) this.#aheadMs = aheadMs;
    const found = await findWindow(this.ours.window, async (steps) => {
      asked.push(await this.#ask(windowQuestion(steps), draw));
      return asked.at(-1)!.answer === "true";
    });
    if (found !== undefined) {
      this.#aheadMs += found.middle * this.#theirs.period * 1000;
      this.#theirs = { ...this.#theirs, window: found.width };
    }
    if (isTime) aheadMs = this.#aheadMs;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    const source = isTime ? "" : " by its Date, not used";
    const there = `${seconds} seconds ${aheadMs < 0 ? "behind" : "ahead"}${source}`;
    const kind = Math.abs(aheadMs) < TOLERANCE_MS ? "same" : "different";
    const advice = `Its clock is ${there}: synchronize both.`;
    return { name: "the clock", kind, here: "this machine's time", there, options: [], advice };
  }

  async #judge(asked: Asked): Promise<Finding> {
    const { question: { name, known, advice }, draw, answer, isAnswered } = asked;
    const [ours, theirs] = [this.ours, this.#theirs];
    const here = await this.#answerHere(asked, theirs);
    // An option explains the answer where the answer changes with it.
    const options: (keyof Config)[] = [];
    for (const option of answer === here ? namesOf(OPTIONS) : []) {
      if (theirs[option] === ours[option]) continue;
      const without = await this.#answerHere(asked, { ...theirs, [option]: ours[option] });
      if (without !== answer) options.push(option);
    }
    const sameKind = options.length === 0 ? "same" : "option";
    const otherKind = answer === known ? "known" : "different";
    const kind = answer === here ? sameKind : otherKind;
    // The codes of a clock that turned out to be another are no longer those of their steps.
    const isRepeatable = isAnswered && draw.aheadMs === this.#aheadMs;
    if (isRepeatable && (kind === "option" || kind === "different")) this.#doubtful.push(asked);
    return { name, kind, here, there: answer, options, advice: advice?.(answer) };
  }

  /** Answers a question as a server with some options does. */
  async #answerHere({ question, draw }: Asked, config: Config): Promise<string> {
    const handler = this.#handlerOf(config, question.isAnonymous);
    this.#hereMs = draw.drawnMs + this.#aheadMs;
    return await answerOf(question, draw, async ({ path, ...call }) => {
      const reply = await handler(new Request(draw.origin + path, call));
      const { status } = reply;
      return { status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
    });
  }

  /** Returns a server with some options, which opens no store, port, log or file. */
  #handlerOf(config: Config, isAnonymous = false): Handler {
    const made = isAnonymous ? undefined : this.#handlers.get(config);
    if (made) return made;
    const clock = { randomBytes, monotonicMs: () => performance.now() };
    const { handler } = createService(config, {
      now: () => this.#hereMs,
      pinGuard: openGuard({ ...config, ...clock, guard: "memory" }),
      // A server with keys refuses nothing but calls without one.
      apiKeys: isAnonymous ? new KeyRing([]) : undefined,
      sealKeys: this.sealKeys,
      log: { error: () => {} },
      isReady: () => true,
    });
    if (!isAnonymous) this.#handlers.set(config, handler);
    return handler;
  }
}

/** Asks a service, and reads its answer. */
async function answerOf(
  { call, times = 1, read }: Question,
  draw: Draw,
  send: (call: SentCall) => Promise<ServerReply>,
): Promise<string> {
  const answers: string[] = [];
  while (answers.length < times) {
    const reply = await send(call(draw));
    answers.push(read(reply, draw) || describeReply(reply));
  }
  return answers.join(", ");
}
