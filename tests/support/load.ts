/**
 * Right pins without a pause, and the answers to them.
 *
 * @module
 */

import { eventually } from "./eventually.ts";
import type { RunningProgram } from "./program.ts";
import { pinOf } from "./reference_totp.ts";
import { check } from "./two_servers.ts";

/** Right pins that are being sent. */
export interface Load {
  /** Stops, and gives the answers by secret in their order. */
  readonly end: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Resolves once each secret has had one more answer, of any kind or with a given text. */
  readonly round: (text?: string) => Promise<void>;
}

/** Checks the right pin of each secret repeatedly, through the servers in turn. */
export function load(servers: readonly RunningProgram[], secrets: readonly string[]): Load {
  let stopped = false;
  const answers = new Map(secrets.map((secret) => [secret, [] as string[]]));
  const one = async (secret: string): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      answers.get(secret)!.push(await check(servers[i % servers.length]!, pinOf(secret), secret));
    }
  };
  const all = Promise.all(secrets.map(one));
  return {
    end: async () => {
      stopped = true;
      await all;
      return answers;
    },
    round: async (text) => {
      const counts = (): readonly number[] =>
        [...answers.values()].map((all) =>
          text === undefined ? all.length : all.filter((answer) => answer === text).length
        );
      const before = counts();
      // The first one may have been on its way already.
      await eventually(
        () => counts().every((count, i) => count >= before[i]! + 2),
        "each secret has had an answer",
      );
    },
  };
}

/** How many of some answers are not `True`, and how many there are. */
export function refusals(answers: Iterable<readonly string[]>): readonly [number, number] {
  const all = [...answers].flat();
  return [all.filter((answer) => answer !== "True").length, all.length];
}
