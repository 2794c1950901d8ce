/**
 * The server's clock, by the Date of its replies, which has whole seconds (RFC 9110 §6.6.1).
 *
 * @module
 */

import { all, first, one } from "./dom.ts";

let offsetMs: number | undefined;

/** Learns the server's time from a reply. */
export function readClock(reply: Response): void {
  const date = Date.parse(reply.headers.get("date") ?? "");
  if (date) offsetMs = date + 500 - Date.now();
}

/** Starts the clocks of the page, where there are any. */
export function startClocks(): void {
  if (first(".clock") === undefined) return;
  // The smallest document there is; Bun gives no Date to a HEAD.
  fetch("?disco", { cache: "no-store" }).then(readClock).then(showClocks).catch(() => {});
  setInterval(showClocks, 1000);
}

/** Shows the time on every clock of the page, once it is known. */
export function showClocks(): void {
  if (offsetMs === undefined) return;
  for (const clock of all(".clock")) showClock(clock, offsetMs);
}

function showClock(clock: HTMLElement, offsetMs: number): void {
  const seconds = Math.floor((Date.now() + offsetMs) / 1000);
  const period = Number(clock.dataset["period"]);
  const left = period - seconds % period;
  const skew = Math.round(-offsetMs / 1000);
  one(".time", clock).textContent = new Date(seconds * 1000).toISOString().slice(11, 19);
  one(".left", clock).textContent = String(left);
  one<HTMLProgressElement>("progress", clock).value = left;
  one(".skew", clock).textContent = Math.abs(skew) < 5
    ? ""
    : `The clock of this device is ${Math.abs(skew)} s ${skew < 0 ? "behind." : "ahead."}`;
}
