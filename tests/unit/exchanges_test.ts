/**
 * Replays the golden exchanges of `tests/exchanges/` against the handler in this process, with a
 * clock that stands; `tests/integration/program/exchanges_test.ts` replays them over TCP.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { readExchangeFiles } from "../support/exchanges.ts";
import { fillIn } from "../support/placeholders.ts";
import { replay } from "../support/replay.ts";
import { handlerServer } from "../support/servers.ts";

Deno.test("the pins of the exchanges are those of RFC 6238 appendix B", () => {
  const clock = { algorithm: "SHA1", digits: 8, period: 30, window: 0, now: () => 59_000 } as const;
  assertEquals(fillIn("{{pin 12345678901234567890}}", clock, () => ""), "94287082");
});

for (
  const { name, args, exchanges } of readExchangeFiles(new URL("../exchanges/", import.meta.url))
) {
  const server = handlerServer(args);
  for (const exchange of exchanges) {
    if (exchange.wireOnly) continue;
    Deno.test(`exchanges/${name}: ${exchange.rule}`, () => replay(exchange, server));
  }
}
