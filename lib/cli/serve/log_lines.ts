/**
 * What the log says when the server starts and stops.
 *
 * @module
 */

import { versionLine } from "../version.ts";
import type { Config } from "../../config/config.ts";
import { flagOf, namesOf } from "../../config/option.ts";
import { OPTIONS, optionText } from "../../config/options.ts";
import type { Runtime } from "../../server/runtime/runtime.ts";

/** Why a server stops. */
export type StopReason = "SIGINT" | "SIGTERM" | "standard input ended";

/**
 * What the log says at the start: the version, the runtime, and the options that are not at their
 * default. Of an option that names a file or a socket only that it is set, since a log shows no paths.
 */
export function startLine(config: Config, runtime: Pick<Runtime, "title" | "target">): string {
  const options = namesOf(OPTIONS).flatMap((name) => {
    const { placeholder = "", parse, defaultText } = OPTIONS[name];
    const text = optionText(name, config);
    if (text === optionText(name, { ...config, [name]: parse(defaultText)!.value })) return [];
    // A switch is off unless it is given.
    if (placeholder === "") return [flagOf(name)];
    const isPath = placeholder === "FILE" || placeholder === "PATH";
    return [`${flagOf(name)} ${isPath ? placeholder : text}`];
  });
  const set = options.length === 0 ? "all options at their defaults" : options.join(" ");
  return `started: ${versionLine(runtime)}, ${set}`;
}

/** What the log says once the server is told to stop. */
export function stoppingLine(reason: StopReason): string {
  const hint = reason === "SIGINT"
    ? " (to end at once, press Ctrl-C again after half a second)"
    : "";
  return `stopping: ${reason}${hint}`;
}

/**
 * What the log says last.
 *
 * @param isDone Whether every request was answered before its time was over.
 */
export function stoppedLine(isDone: boolean): string {
  return isDone ? "stopped" : "stopped: requests that were still running were cut off";
}
