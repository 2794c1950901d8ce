/**
 * Commands on their way to a store, none of which waits long.
 *
 * @module
 */

import { ProtocolError, SilenceError } from "./store_failure.ts";

/** Commands that wait for a reply, at most; further ones are sent as replies come. */
export const MAX_IN_FLIGHT = 1000;

/** Ticks that a command may wait. */
export const PATIENCE_TICKS = 10;

/** What a pipeline needs. */
export interface PipelineOptions {
  /** Sends a command and gives its reply. */
  readonly send: (words: readonly string[]) => Promise<unknown>;
  /** Told once why no reply can be expected any more. */
  readonly onEnd: (reason: unknown) => void;
  /** How long a command may wait to be sent, and then for its reply, in milliseconds. */
  readonly patienceMs: number;
}

interface Question {
  readonly words: readonly string[];
  readonly take: (reply: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** The tick since which it waits. */
  sinceTick: number;
}

/**
 * The pipeline.
 *
 * Time is counted in ticks of a timer, and a tick that comes late is one tick all the same. So a
 * store is blamed only after this process has had several turns to read its reply: after a pause of
 * the process, or under a load that makes every timer late, the reply lies ready and is only read
 * after the timer.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #waiting = new Set<Question>();
  readonly #inFlight = new Set<Question>();
  #isOpen = false;
  #end: { readonly reason: unknown } | undefined;
  #tick = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Makes a pipeline that sends nothing until it is opened. */
  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** Sends from now on. */
  open(): void {
    this.#isOpen = true;
    this.#flush();
  }

  /**
   * Sends a command.
   *
   * @param read Makes of the reply what it means; when it throws a `ProtocolError`, the reply is none
   * to this command, and the pipeline ends.
   * @throws {Error} When the reply is an error, or none comes.
   */
  ask<T>(words: readonly string[], read: (reply: unknown) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end.reason);
      const take = (reply: unknown): void => resolve(read(reply));
      this.#waiting.add({ words, take, reject, sinceTick: this.#tick });
      this.#flush();
      this.#scheduleTick();
    });
  }

  /** Ends it; what still waits is rejected with the reason. */
  end(reason: unknown): void {
    if (this.#end) return;
    this.#end = { reason };
    clearTimeout(this.#timer);
    for (const { reject } of [...this.#inFlight, ...this.#waiting]) reject(reason);
    this.#waiting.clear();
    this.#options.onEnd(reason);
  }

  #flush(): void {
    if (!this.#isOpen) return;
    for (const question of this.#waiting) {
      if (this.#inFlight.size >= MAX_IN_FLIGHT) return;
      this.#waiting.delete(question);
      this.#inFlight.add(question);
      void this.#send(question);
    }
  }

  async #send(question: Question): Promise<void> {
    question.sinceTick = this.#tick;
    try {
      question.take(await this.#options.send(question.words));
    } catch (error) {
      question.reject(error);
      if (error instanceof ProtocolError) this.end(error);
    }
    this.#inFlight.delete(question);
    this.#flush();
  }

  #scheduleTick(): void {
    this.#timer ??= setTimeout(() => this.#onTick(), this.#options.patienceMs / PATIENCE_TICKS);
  }

  #onTick(): void {
    this.#timer = undefined;
    this.#tick++;
    const isLate = ({ sinceTick }: Question): boolean => this.#tick - sinceTick > PATIENCE_TICKS;
    // The first of a set is the oldest.
    for (const question of this.#inFlight) {
      if (isLate(question)) return this.end(new SilenceError("No reply in time"));
      break;
    }
    for (const question of this.#waiting) {
      if (!isLate(question)) break;
      // The store answers others, but has not come to this one.
      this.#waiting.delete(question);
      question.reject(new SilenceError("Not sent in time"));
    }
    if (this.#inFlight.size + this.#waiting.size > 0) this.#scheduleTick();
  }
}
