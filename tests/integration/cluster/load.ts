/**
 * Right pins without a pause during a failure of the store, and the number of them that are refused.
 *
 * @module
 */

import type { RunningProgram } from "../../support/program.ts";
import { check } from "../../support/two_servers.ts";
import { eventually } from "../../support/eventually.ts";
import { pinOf } from "../../support/reference_totp.ts";

/** Right pins that are being sent. */
export interface Load {
  /** Stops, and gives the answers by secret in their order. */
  readonly end: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Resolves once so many more answers came that each secret has had one. */
  readonly round: () => Promise<void>;
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
  const fewest = (): number => Math.min(...[...answers.values()].map(({ length }) => length));
  return {
    end: async () => {
      stopped = true;
      await all;
      return answers;
    },
    round: async () => {
      const before = fewest();
      await eventually(() => fewest() >= before + 2, "each secret has had an answer");
    },
  };
}

/** How many of some answers are not `True`, and how many there are. */
export function refusals(answers: Iterable<readonly string[]>): readonly [number, number] {
  const all = [...answers].flat();
  return [all.filter((answer) => answer !== "True").length, all.length];
}

const NEWS = /(?:info|warn) (the store of the guard, \S+) (.+)$/;

/** Number of lines about a store or a node that repeat the one before about it. */
export function repeatedNews(log: string): number {
  const last = new Map<string, string>();
  const repeated = log.split("\n").filter((line) => {
    // What follows is of the next server.
    if (line.startsWith("Listening on ")) last.clear();
    const [, who = "", saying = ""] = NEWS.exec(line) ?? [];
    const before = last.get(who);
    last.set(who, saying);
    return who !== "" && before === saying;
  });
  return repeated.length;
}

/** Far more lines than the failures of a test can give reason for. */
export const MANY_NEWS = 40;

/** Number of lines about a store or a node. */
export function newsIn(log: string): number {
  return log.split("\n").filter((line) => NEWS.test(line)).length;
}

/** Prints a figure that nothing is asserted of. */
export function say(line: string): void {
  // deno-lint-ignore no-console -- A figure for the output.
  console.log(line);
}
