/**
 * The server's clock, estimated from the Date of its replies, which has whole seconds (RFC 9110
 * §6.6.1).
 *
 * @module
 */

import { absoluteUrl, all, one } from "./dom.ts";

let offsetMs: number | undefined;

const ticks: (() => void)[] = [];

/**
 * Estimates the server's time from a reply, right after its head has come: the server wrote that
 * about half-way between request and now. The body would add an unknown delay.
 *
 * @param sentMs Time of the request by this device's clock.
 */
export function readClock(reply: Response, sentMs: number): void {
  const date = Date.parse(reply.headers.get("date") ?? "");
  if (date) offsetMs = date + 500 - (sentMs + Date.now()) / 2;
}

/** Server time in milliseconds since 1970; undefined until it is known. */
export function serverNowMs(): number | undefined {
  return offsetMs === undefined ? undefined : Date.now() + offsetMs;
}

/** Server time as a clock shows it. */
export function timeShown(): string {
  return new Date(serverNowMs() ?? Date.now()).toISOString().slice(11, 19);
}

/** Calls a function every second, and once the time is known. */
export function everySecond(tick: () => void): void {
  ticks.push(tick);
}

/** Starts the clock of the page. */
export function startClock(): void {
  everySecond(showClocks);
  const sentMs = Date.now();
  // The smallest document; not HEAD, since Bun sends no Date with it.
  fetch(absoluteUrl("?disco"), { cache: "no-store" })
    .then((reply) => readClock(reply, sentMs)).then(tick).catch(() => {});
  setInterval(tick, 1000);
}

/** Updates all parts of the page that depend on the time. */
export function tick(): void {
  for (const each of ticks) each();
}

function showClocks(): void {
  const nowMs = serverNowMs();
  if (nowMs === undefined) return;
  for (const clock of all(".clock")) showClock(clock, nowMs);
}

function showClock(clock: HTMLElement, nowMs: number): void {
  const seconds = Math.floor(nowMs / 1000);
  const period = Number(clock.dataset["period"]);
  const left = period - seconds % period;
  const skew = Math.round((Date.now() - nowMs) / 1000);
  one(".time", clock).textContent = timeShown();
  one(".left", clock).textContent = String(left);
  one<HTMLProgressElement>("progress", clock).value = left;
  one(".skew", clock).textContent = Math.abs(skew) < 5
    ? ""
    : `The clock of this device is ${Math.abs(skew)} s ${skew < 0 ? "behind." : "ahead."}`;
}
