/**
 * Right pins without a pause while something befalls the store: who is refused wrongly is counted.
 *
 * @module
 */

import type { RunningProgram } from "../../support/program.ts";
import { check, pinOf } from "../../support/two_servers.ts";
import { eventually } from "../../support/eventually.ts";

/** Right pins that are being sent. */
export interface Load {
  /** Stops, and gives the answers by secret in their order. */
  readonly end: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Resolves once so many more answers came that each secret has had one. */
  readonly round: () => Promise<void>;
}

/** Asks about each secret again and again, with the right pin, through servers in turn. */
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

/** How many lines say of a store, or of a node, what the line before about it said. */
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

/** How many lines say something of a store, or of a node. */
export function newsIn(log: string): number {
  return log.split("\n").filter((line) => NEWS.test(line)).length;
}

/** Prints a figure that nothing is asserted of. */
export function say(line: string): void {
  // deno-lint-ignore no-console -- A figure for whoever reads the output.
  console.log(line);
}
