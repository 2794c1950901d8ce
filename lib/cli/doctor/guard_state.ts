/**
 * State of the guard for a secret, in a shared store or in a server: sentences for `doctor`.
 *
 * @module
 */

import type { Config } from "../../config/options.ts";
import { guardRules, refusesNothing, throttleTimes } from "../../guard/guard.ts";
import { type DatedState, inspectSecret } from "../../guard/redis/operator.ts";
import { secretKey } from "../../otp/secret.ts";
import { atStore, fingerprintsBy } from "../guard_commands.ts";
import { CommandError } from "../io/io.ts";
import { askName, type OperatorPort } from "../operator_port.ts";

/** Findings about the guard and a pin. */
export interface GuardFindings {
  /** Whether the guard of a server with these options refuses the pin. */
  readonly refuses: boolean;
  /** Sentences about the guard. */
  readonly lines: readonly string[];
}

const NO_FINDINGS = noRefusal([]);

/**
 * Reads the state of a secret in the shared store without a change. For a guard in memory and a
 * right pin, the sentences name the possible refusals, which this process cannot see.
 *
 * @param step The time step with this code; undefined for a wrong pin.
 * @throws {OptionFileError} When a file of the options cannot be used.
 */
export async function guardFindings(
  config: Config,
  secretCode: string,
  step: number | undefined,
): Promise<GuardFindings> {
  const key = secretKey(secretCode, config.secretEncoding);
  if (key === undefined) return NO_FINDINGS;
  const { refuses, lines } = refusesNothing(config)
    ? NO_FINDINGS
    : await storedFindings(secretCode, config, step);
  const nameLines = config.metricsPort === undefined ? [] : [await nameInLog(config, secretCode)];
  return { refuses, lines: [...lines, ...nameLines] };
}

async function storedFindings(
  secretCode: string,
  config: Config,
  step: number | undefined,
): Promise<GuardFindings> {
  const { guard, guardKeyFile } = config;
  if (guard === "memory") return noRefusal(step === undefined ? [] : [unseen(config)]);
  if (guardKeyFile === undefined) {
    const flag = "--guard-key-file";
    return noRefusal([
      `It is unknown whether the code was used: without ${flag} nothing is found in the store of ` +
      "--guard.",
    ]);
  }
  const fingerprint = fingerprintsBy(config, guardKeyFile)(secretCode);
  try {
    const state = await atStore(guard, config, (store) => inspectSecret(store, fingerprint));
    return explainState(state, config, step);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return noRefusal([
      `It is unknown whether the code was used: the store of the guard, ${guard}, does not answer.`,
    ]);
  }
}

function noRefusal(lines: readonly string[]): GuardFindings {
  return { refuses: false, lines };
}

// Explains the possible refusals of a server's guard, whose memory is not visible to this process.
function unseen({ maxFailures, singleUse }: Config): string {
  const reasons = [
    ...(maxFailures > 0
      ? ["it is refusing pins for this secret (outcome=throttled in its log)"]
      : []),
    ...(singleUse ? ["the code was used (outcome=replayed in its log)"] : []),
  ];
  return `If it answers false anyway, ${reasons.join(", or ")}.`;
}

// Asks for the secret's name in the log, which helps to find the lines about it.
async function nameInLog(port: OperatorPort, secretCode: string): Promise<string> {
  try {
    const name = await askName(port, secretCode);
    return `The log of the server calls this secret secret=${name}.`;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return `The name of this secret in the log is unknown: ${error.message}.`;
  }
}

/** Explains the state of a secret. */
export function explainState(
  dated: DatedState | undefined,
  config: Pick<Config, "singleUse" | "maxFailures" | "window" | "period">,
  step: number | undefined,
): GuardFindings {
  if (dated === undefined) return NO_FINDINGS;
  const { state, nowMs } = dated;
  const { usedStep } = state;
  const lines: string[] = [];
  const { toAllMs, toSomeMs } = throttleTimes(guardRules(config), state, nowMs);
  if (toAllMs > 0) {
    lines.push(
      `All pins for this secret are refused for another ${Math.ceil(toAllMs / 1000)} seconds, ` +
        "after too many wrong ones.",
    );
  } else if (toSomeMs > 0) {
    lines.push(
      "Pins for this secret from some sources (X-Authenticator-Source, or the key of the caller) " +
        `are refused for another ${Math.ceil(toSomeMs / 1000)} seconds, after too many wrong ` +
        "ones. Pins from other sources are checked.",
    );
  }
  const isUsed = config.singleUse && step !== undefined && step <= usedStep;
  if (isUsed) {
    const which = step === usedStep ? "This code" : "A later code than this";
    lines.push(`${which} was already used, and is accepted once only: wait for the next one.`);
  }
  return { refuses: toAllMs > 0 || isUsed, lines };
}
