/**
 * Command `status`: how a running server stands, by its operator port.
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import { UsageError } from "../config/option.ts";
import { guardLines } from "./guard_commands.ts";
import { askStatus, DEFAULT_OPERATOR_PORT, NoServerError } from "./operator_port.ts";
import { printable } from "../system/foreign_text.ts";
import { keysInWords } from "./serve/reload.ts";

/** Limit of a line: more than the names of fifty keys. */
const MAX_LINE_CHARACTERS = 4_000;

/**
 * Prints the status of a server. With a shared store, it also prints the secrets with the most wrong
 * pins there.
 *
 * @param printLine Writes a line to stdout.
 * @returns 0 for a healthy server, 1 for another.
 * @throws {UsageError} When the options have no operator port, and none is at the usual address.
 * @throws {CommandError} When the server refuses or does not answer.
 */
export async function status(config: Config, printLine: (line: string) => void): Promise<number> {
  // Another program may answer at the port.
  const print = (line: string): void => printLine(printable(line, MAX_LINE_CHARACTERS));
  const found = await askStatus(config).catch((error: unknown) => {
    if (!(error instanceof NoServerError) || config.metricsPort !== undefined) throw error;
    const port = DEFAULT_OPERATOR_PORT;
    throw new UsageError(
      `there is no operator port at ${config.metricsHost}:${port}: start the server with ` +
        `--metrics-port ${port}, or give the port that it has`,
    );
  });
  const { problems, version, since, address = "-", certificateUntil, reload, store } = found;
  const { guardKey, keys, protections, sealKeys, secrets } = found;
  const isHealthy = problems.length === 0;
  print(`server: ${isHealthy ? "healthy" : problems.join("; ")}`);
  print(`version: ${version}, since ${since}`);
  print(`address: ${address}`);
  print(`protections: ${protections.join(", ")}`);
  print(`certificate: ${certificateUntil === undefined ? "none" : `until ${certificateUntil}`}`);
  print(`API keys: ${keys === undefined ? "none is needed" : keysInWords(keys)}`);
  print(`seal keys: ${sealKeys === undefined ? "none" : sealKeys.join(", ")}`);
  if (secrets !== undefined) {
    const { plain, sealed, "older-key": older } = secrets;
    print(`secrets checked: ${plain} plain, ${sealed} sealed, ${older} sealed with an older key`);
  }
  print(
    `last reload: ${reload === undefined ? "none" : `${reload.at}, ${reload.lines.join("; ")}`}`,
  );
  print(`guard: ${store}${guardKey === undefined ? "" : `, key ${guardKey}`}`);
  for (const line of await guardLines(found.guard, config)) print(line);
  return isHealthy ? 0 : 1;
}
