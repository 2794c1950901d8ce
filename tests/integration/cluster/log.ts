/**
 * Lines of a server's log about its store, and figures of a test for its output.
 *
 * @module
 */

const STORE_LINE = /(?:info|warn) (the store of the guard, \S+) (.+)$/;

/** Number of lines about a store or a node that repeat the one before about it. */
export function repeatedStoreLines(log: string): number {
  const last = new Map<string, string>();
  const repeated = log.split("\n").filter((line) => {
    // What follows is of the next server.
    if (line.startsWith("Listening on ")) last.clear();
    const [, who = "", saying = ""] = STORE_LINE.exec(line) ?? [];
    const before = last.get(who);
    last.set(who, saying);
    return who !== "" && before === saying;
  });
  return repeated.length;
}

/** Far more lines than the failures of a test can give reason for. */
export const MAX_STORE_LINES = 40;

/** Number of lines about a store or a node. */
export function storeLines(log: string): number {
  return log.split("\n").filter((line) => STORE_LINE.test(line)).length;
}

/** Prints a figure that nothing is asserted of. */
export function print(line: string): void {
  // deno-lint-ignore no-console -- A figure for the output.
  console.log(line);
}
