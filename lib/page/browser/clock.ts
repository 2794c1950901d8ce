/**
 * The server's clock, estimated from the Date of its replies, which has whole seconds (RFC 9110
 * §6.6.1).
 *
 * @module
 */

import { inWords } from "../../otp/diagnosis/causes.ts";
import { absoluteUrl, all, one } from "./dom.ts";

/** Estimate of the server's clock, shown on the page. */
export class Clock {
  readonly #period: number;
  #offsetMs: number | undefined;
  #onTick: () => void = () => {};

  /** Makes a clock with time steps of a period, in seconds. */
  constructor(period: number) {
    this.#period = period;
  }

  /**
   * Estimates the server's time from a reply, right after its head has come: the server wrote that
   * about half-way between request and now. The body would add an unknown delay.
   *
   * @param sentMs Time of the request by this device's clock.
   */
  read(reply: Response, sentMs: number): void {
    const date = Date.parse(reply.headers.get("date") ?? "");
    if (date) this.#offsetMs = date + 500 - (sentMs + Date.now()) / 2;
  }

  /** Server time in milliseconds since 1970; this device's time until it is known. */
  nowMs(): number {
    return Date.now() + (this.#offsetMs ?? 0);
  }

  /** Seconds by which this device's clock is ahead of the server's. */
  aheadSeconds(): number {
    return Math.round(-(this.#offsetMs ?? 0) / 1000);
  }

  /** Server time as a clock shows it. */
  timeShown(): string {
    return new Date(this.nowMs()).toISOString().slice(11, 19);
  }

  /** Starts the clock of the page, which calls a function every second, and once the time is known. */
  start(onTick: () => void): void {
    this.#onTick = onTick;
    const sentMs = Date.now();
    // The smallest document; not HEAD, since Bun sends no Date with it.
    fetch(absoluteUrl("?disco"), { cache: "no-store" })
      .then((reply) => this.read(reply, sentMs)).then(() => this.tick()).catch(() => {});
    setInterval(() => this.tick(), 1000);
  }

  /** Updates all parts of the page that depend on the time. */
  tick(): void {
    this.#onTick();
    if (this.#offsetMs === undefined) return;
    for (const element of all(".clock")) this.#showOn(element);
  }

  #showOn(element: HTMLElement): void {
    const nowMs = this.nowMs();
    const seconds = Math.floor(nowMs / 1000);
    const left = this.#period - seconds % this.#period;
    const apart = Math.abs(this.aheadSeconds());
    one(".time", element).textContent = this.timeShown();
    one(".left", element).textContent = String(left);
    one<HTMLProgressElement>("progress", element).value = left;
    one(".skew", element).textContent = apart < 5
      ? ""
      : `The clocks of this device and of the server differ by ${inWords(apart)}.`;
  }
}
