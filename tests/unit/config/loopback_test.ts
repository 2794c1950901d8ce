import { assertEquals } from "@std/assert/equals";
import { connectAddress } from "../../../lib/config/loopback.ts";

Deno.test("connectAddress() returns the loopback address for a wildcard address, and others unchanged", () => {
  const hosts = ["0.0.0.0", "::", "127.0.0.1", "::1", "192.0.2.1", "localhost"];
  assertEquals(hosts.map(connectAddress), [
    ...["127.0.0.1", "::1", "127.0.0.1", "::1", "192.0.2.1", "localhost"],
  ]);
});
