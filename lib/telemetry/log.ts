/**
 * The log: lines for the operator, about requests and about what went wrong. Nothing that a request
 * said is ever part of one.
 *
 * @module
 */

import type { Facts } from "../operations/facts.ts";
import type { RequestEvent } from "./request_event.ts";

/** Writes what the operator should know. */
export interface Log {
  /** A request was answered. */
  readonly request: (event: RequestEvent) => void;
  /** Something that the operator may like to know; a clause. */
  readonly info: (message: string) => void;
  /** Something that the operator should look at; a clause. */
  readonly warn: (message: string) => void;
  /** Something failed that should not have; the cause is what was thrown. */
  readonly error: (message: string, cause: unknown) => void;
}

/** How a log is written. */
export interface LogOptions {
  /** Lines for people, or an object of JSON on each line. */
  readonly format: "text" | "json";
  /** Whether statuses are coloured in text. */
  readonly color: boolean;
  /** Takes a line with its line end. */
  readonly write: (line: string) => void;
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}

type Texts = Readonly<Record<string, string>>;

/** Makes a log. */
export function createLog({ format, color, write, now }: LogOptions): Log {
  const timeText = clockText();
  const jsonLine = (level: string, message: string, fields: object): void =>
    write(`${JSON.stringify({ time: timeText(now()), level, message, ...fields })}\n`);
  const textLine = (level: string, message: string, fields: Texts): void =>
    write(`${timeText(now())} ${level} ${message}${textOf(fields)}\n`);
  const line = format === "json" ? jsonLine : textLine;
  return {
    request: format === "json"
      ? (event) => jsonLine("info", "request", fieldsOf(event))
      : (event) => write(`${timeText(now())} info request ${requestText(event, color)}\n`),
    info: (message) => line("info", message, {}),
    warn: (message) => line("warn", message, {}),
    error: (message, cause) => line("error", message, describeCause(cause)),
  };
}

// Many requests end in one millisecond, and to write it out costs as much as the rest of a line.
function clockText(): (timeMs: number) => string {
  let written = { timeMs: NaN, text: "" };
  return (timeMs) => {
    if (timeMs !== written.timeMs) written = { timeMs, text: new Date(timeMs).toISOString() };
    return written.text;
  };
}

// JSON leaves out what is undefined.
function fieldsOf(event: RequestEvent): object {
  const { method, route, operation, binding, caller, status, outcome, facts } = event;
  return {
    method,
    route,
    operation: operation || undefined,
    binding: binding || undefined,
    caller,
    status,
    ...facts,
    outcome,
    ms: milliseconds(event),
    bytes: event.replyBytes,
    id: event.requestId,
  };
}

// The same fields in the same order. Each request has such a line, and to make it from an object takes
// three times as long and twice the memory.
function requestText(event: RequestEvent, color: boolean): string {
  const { method, route, operation, binding, caller, status, outcome, facts } = event;
  let text = `method=${method} route=${route}`;
  if (operation !== "") text += ` operation=${operation}`;
  if (binding !== "") text += ` binding=${wordOf(binding)}`;
  if (caller !== undefined) text += ` caller=${caller}`;
  text += ` status=${color ? colored(status) : status}`;
  for (const name in facts) {
    if (name !== "outcome") text += ` ${name}=${wordOf(`${facts[name as keyof Facts]}`)}`;
  }
  return `${text} outcome=${outcome} ms=${milliseconds(event)} bytes=${event.replyBytes}` +
    ` id=${event.requestId}`;
}

function milliseconds({ durationMs }: RequestEvent): number {
  return Math.round(durationMs * 1000) / 1000;
}

function textOf(fields: Texts): string {
  let text = "";
  for (const name in fields) text += ` ${name}=${wordOf(fields[name]!)}`;
  return text;
}

function wordOf(text: string): string {
  return /[\s"]/.test(text) ? JSON.stringify(text) : text;
}

// Select Graphic Rendition (ECMA-48 §8.3.117): green, yellow, red by the class of the status.
function colored(status: number): string {
  const code = status < 400 ? 32 : status < 500 ? 33 : 31;
  return `\x1b[${code}m${status}\x1b[0m`;
}

// The message of an error may quote what it was about, a secret among it; its name and the places
// it came through may not.
function describeCause(cause: unknown): Texts {
  if (!(cause instanceof Error)) return { cause: typeof cause };
  const { message } = cause;
  const frames = (cause.stack ?? "").split("\n")
    .filter((line) => /^(?:\s+at |\S*@).*:\d+:\d+\)?$/.test(line) && !message.includes(line))
    .map((line) => line.trim());
  return { cause: cause.name, stack: frames.join(" | ") };
}
