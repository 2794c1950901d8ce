/**
 * Replays the golden exchanges of `tests/exchanges/` against the handler behind a port of this process,
 * with a clock that stands; `tests/integration/program/exchanges_test.ts` replays them to programs.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { readExchangeFiles } from "../support/exchanges.ts";
import { fillIn } from "../support/placeholders.ts";
import { replay } from "../support/replay.ts";
import { type PortServer, portServer } from "../support/servers.ts";

// The body of a request that is refused is kept until its connection ends, behind the test.
Deno.test.sanitizer({ resources: false });

Deno.test("the pins of the exchanges are those of RFC 6238 appendix B", () => {
  const clock = { algorithm: "SHA1", digits: 8, period: 30, window: 0, now: () => 59_000 } as const;
  assertEquals(fillIn("{{pin 12345678901234567890}}", clock, () => ""), "94287082");
});

const FILES = readExchangeFiles(new URL("../exchanges/", import.meta.url));
const servers = new Map<string, PortServer>();

Deno.test.beforeAll(async () => {
  // One server for each line of options.
  for (const { args } of FILES) {
    if (!servers.has(args.join(" "))) servers.set(args.join(" "), await portServer(args));
  }
});

Deno.test.afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

for (const { name, args, exchanges } of FILES) {
  for (const exchange of exchanges) {
    Deno.test(
      `exchanges/${name}: ${exchange.rule}`,
      () => replay(exchange, servers.get(args.join(" "))!),
    );
  }
}
