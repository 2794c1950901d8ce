/**
 * Log for the operator: lines about requests and failures. No line quotes any part of a request.
 *
 * @module
 */

import type { RequestEvent } from "./request_event.ts";

/** Log for the operator, by level. */
export interface Log {
  /** Logs an answered request. */
  readonly request: (event: RequestEvent) => void;
  /** Logs information; the message is a clause. */
  readonly info: (message: string) => void;
  /** Logs a warning that needs the operator's attention; the message is a clause. */
  readonly warn: (message: string) => void;
  /** Logs a failure; the cause is the thrown value, if it was unexpected. */
  readonly error: (message: string, cause?: unknown) => void;
}

/** Options of a log. */
export interface LogOptions {
  /** Text lines for people, or one JSON object on each line. */
  readonly format: "text" | "json";
  /** Whether text lines colour the status. */
  readonly color: boolean;
  /** Writes a line, which includes its line end. */
  readonly write: (line: string) => void;
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}

type Fields = Readonly<Record<string, string | number | undefined>>;

/** Makes a log. */
export function createLog({ format, color, write, now }: LogOptions): Log {
  let [writtenMs, written] = [NaN, ""];
  // A busy server has many lines in the same millisecond.
  const timeText = (): string => {
    const ms = now();
    if (ms !== writtenMs) [writtenMs, written] = [ms, new Date(ms).toISOString()];
    return written;
  };
  const jsonLine = (level: string, message: string, fields: Fields): void =>
    write(`${JSON.stringify({ time: timeText(), level, message, ...fields })}\n`);
  const textLine = (level: string, message: string, fields: Fields): void =>
    write(`${timeText()} ${level} ${message}${fieldsText(fields)}\n`);
  const line = format === "json" ? jsonLine : textLine;
  return {
    request: format === "json"
      ? (event) => jsonLine("info", "request", fieldsOf(event))
      : (event) => textLine("info", "request", fieldsOf(event, color ? colored : undefined)),
    info: (message) => line("info", message, {}),
    warn: (message) => line("warn", message, {}),
    error: (message, cause) =>
      line("error", message, cause === undefined ? {} : describeCause(cause)),
  };
}

/** Returns the fields of a request's line; undefined ones are left out. */
function fieldsOf(event: RequestEvent, statusText?: (status: number) => string): Fields {
  const { method, route, operation, binding, caller, peer, status, outcome } = event;
  const { secret, distance, ignored, unopened, reason } = event.facts ?? {};
  return {
    method,
    route,
    operation: operation || undefined,
    binding: binding || undefined,
    caller,
    peer,
    status: statusText?.(status) ?? status,
    secret,
    distance,
    ignored,
    unopened,
    reason,
    outcome,
    ms: milliseconds(event),
    bytes: event.replyBytes,
    id: event.requestId,
  };
}

function milliseconds({ durationMs }: RequestEvent): number {
  return Math.round(durationMs * 1000) / 1000;
}

function fieldsText(fields: Fields): string {
  let text = "";
  for (const name in fields) {
    if (fields[name] !== undefined) text += ` ${name}=${wordOf(`${fields[name]}`)}`;
  }
  return text;
}

function wordOf(text: string): string {
  return /[\s"]/.test(text) ? JSON.stringify(text) : text;
}

// Colours a status by its class: green, yellow, red (Select Graphic Rendition, ECMA-48 §8.3.117).
function colored(status: number): string {
  const code = status < 400 ? 32 : status < 500 ? 33 : 31;
  return `\x1b[${code}m${status}\x1b[0m`;
}

// Writes only the name and the stack frames of an error: its message may quote a secret.
function describeCause(cause: unknown): Fields {
  if (!(cause instanceof Error)) return { cause: typeof cause };
  const { message } = cause;
  const frames = (cause.stack ?? "").split("\n")
    .filter((line) => /^(?:\s+at |\S*@).*:\d+:\d+\)?$/.test(line) && !message.includes(line))
    .map((line) => line.trim());
  return { cause: cause.name, stack: frames.join(" | ") };
}
