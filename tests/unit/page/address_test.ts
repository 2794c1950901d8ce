import { assertEquals } from "@std/assert/equals";
import { isInTheClear, isLoopback } from "../../../lib/page/shared/address.ts";

const THIS_MACHINE = [
  "localhost",
  "LOCALHOST",
  "a.localhost",
  "127.0.0.1",
  "127.10.200.3",
  "[::1]",
];
const OTHERS = [
  ...["127.0.0.1.example.com", "a.127.0.0.1", "localhost.example.com", "notlocalhost", "[::2]"],
  ...["127.0.0", "0.0.0.0", "10.0.0.1", ""],
];

Deno.test("localhost, 127.0.0.0/8 and ::1 are this machine, with and without a port", () => {
  for (const [hosts, expected] of [[THIS_MACHINE, true], [OTHERS, false]] as const) {
    for (const host of hosts) {
      assertEquals([host, isLoopback(host)], [host, expected]);
      assertEquals([host, isLoopback(`${host}:6379`)], [host, expected]);
    }
  }
  assertEquals(isLoopback("::1"), true);
});

Deno.test("plain HTTP to another machine is in the clear", () => {
  for (const host of OTHERS) assertEquals([host, isInTheClear(`http://${host}/a`)], [host, true]);
  for (const host of THIS_MACHINE) assertEquals(isInTheClear(`http://${host}:80`), false, host);
  assertEquals(isInTheClear("https://pin.example.com"), false);
});
