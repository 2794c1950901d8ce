import { assertEquals } from "@std/assert/equals";
import { protectionsOf } from "../../../lib/config/protections.ts";
import { configOf } from "../../support/command.ts";

Deno.test("protectionsOf() lists each protection, on or off", () => {
  const of = (...args: readonly string[]): string => protectionsOf(configOf(args)).join(", ");
  assertEquals(
    of(),
    "API keys off, single use off, wrong pins up to 100, window 1, TLS off, callers of this machine",
  );
  const on = of(
    ..."--api-keys-file k --single-use --max-failures 0 --window 10 --host 0.0.0.0".split(" "),
    ..."--tls-cert c --tls-key k".split(" "),
  );
  assertEquals(
    on,
    "API keys on, single use on, wrong pins without limit, window 10, TLS on, callers of other " +
      "machines too",
  );
  assertEquals(of("--socket", "s").endsWith("callers of the socket's user and group"), true);
  assertEquals(of("--socket", "s", "--socket-mode", "666").endsWith("of this machine"), true);
});
