/** A run of the command `compare` against a server of this process. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runCommand } from "../../../support/command.ts";
import {
  type ComparedOptions,
  type ComparedServer,
  startCompared,
} from "../../../support/compared_server.ts";
import type { Outcome } from "../../../support/program.ts";

/** Fails unless a text has a part. */
export function assertHas(text: string, part: string): void {
  assert(text.includes(part), `${JSON.stringify(part)} is not in:\n${text}`);
}

/** Compares a server with options, which are those of the server unless given. */
export async function compared(
  options: ComparedOptions,
  args: readonly string[] = options.args ?? [],
  act: (server: ComparedServer) => void = () => {},
): Promise<Outcome> {
  await using server = startCompared(options);
  const outcome = await runCommand(["compare", server.url, ...args]);
  assert(server.calls.length <= 60, `${server.calls.length} requests`);
  act(server);
  return outcome;
}

/** Fails unless all answers are the same. */
export function assertSame({ code, stdout, stderr }: Outcome): void {
  assertEquals([code, stderr], [0, ""], stdout);
  assert(!/\d (?:known|option|different)|^Known /m.test(stdout), stdout);
  assertHas(stdout, "\nAll answers are the same.\n");
}
