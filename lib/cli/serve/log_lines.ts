/**
 * Log lines about the start and the stop of a server.
 *
 * @module
 */

import { versionLine } from "../version.ts";
import type { Config } from "../../config/options.ts";
import { flagOf, namesOf } from "../../config/option.ts";
import { OPTIONS, optionText, parseConfig } from "../../config/options.ts";
import type { Runtime } from "../../server/runtime/runtime.ts";

/** Reason of a stop. */
export type StopReason = "SIGINT" | "SIGTERM" | "standard input ended";

/**
 * Writes the log line at the start: the version, the runtime, and the options that differ from
 * their defaults. It omits the paths of files and sockets.
 */
export function startLine(config: Config, runtime: Pick<Runtime, "title" | "target">): string {
  const defaults = parseConfig({ flags: new Map(), env: () => undefined });
  const options = namesOf(OPTIONS).flatMap((name) => {
    const { placeholder = "" } = OPTIONS[name];
    const text = optionText(name, config);
    if (text === optionText(name, defaults)) return [];
    // A switch that differs from its default is on.
    if (placeholder === "") return [flagOf(name)];
    const isPath = placeholder === "FILE" || placeholder === "PATH";
    return [`${flagOf(name)} ${isPath ? placeholder : text}`];
  });
  const set = options.length === 0 ? "all options at their defaults" : options.join(" ");
  return `started: ${versionLine(runtime)}, ${set}`;
}

/** Writes the log line at the beginning of a stop. */
export function stoppingLine(reason: StopReason): string {
  const hint = reason === "SIGINT"
    ? " (to end at once, press Ctrl-C again after half a second)"
    : "";
  return `stopping: ${reason}${hint}`;
}

/**
 * Writes the log line at the end of a stop.
 *
 * @param isDone Whether every request was answered before the timeout.
 */
export function stoppedLine(isDone: boolean): string {
  return isDone ? "stopped" : "stopped: requests that were still running were cut off";
}
